// Tables from files, names and streams.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "bitbayes/types/dataset.hpp"
#include "bitbayes/types/export.hpp"
#include "bitbayes/types/reading.hpp"

namespace bitbayes {

/// Reads DATA: a name (mnist, fashion-mnist, teacher:M[:SEED]), a folder of IDX files, an
/// IMAGES,LABELS pair, a CSV, LIBSVM or NPZ file (each also gzipped), or "-". It may end in :train
/// or :test, and then in #A:B.
BITBAYES_API LoadedData load_data(const std::string& data, const ReadOptions& options = {});

/// One table: the split that :train or :test names, else `preferred` if the data has two splits,
/// else all rows.
BITBAYES_API Dataset load_dataset(const std::string& data, const ReadOptions& options = {},
                                  Split preferred = Split::kTest);

/// Rows as they arrive, e.g. from a pipe.
class BITBAYES_API RowStream {
  public:
    /// `path` may be "-", standard input. Waits for the first line. IDX and NPZ files are read
    /// whole, then returned in chunks like the rest.
    explicit RowStream(const std::string& path, const ReadOptions& options = {});
    RowStream(RowStream&&) noexcept;
    RowStream& operator=(RowStream&&) noexcept;
    ~RowStream();

    /// Waits for one row, then takes all that have arrived, at most `max_rows`; false at the end. A
    /// malformed row is thrown as an Error once the rows before it have been returned.
    bool next(Dataset& chunk, std::size_t max_rows);

    /// Notes on all rows so far; the chunks themselves carry none.
    std::vector<std::string> notes() const;

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace bitbayes
