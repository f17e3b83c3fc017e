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

/// One table: the test split of data that has two (or the one that :train or :test names), else the
/// whole.
BITBAYES_API Dataset load_dataset(const std::string& data, const ReadOptions& options = {},
                                  Split preferred = Split::kTest);

/// Rows as they come, e.g. from a pipe.
class BITBAYES_API RowStream {
  public:
    /// `path` may be "-", standard input. Waits for the first line. IDX and NPZ are read whole, and
    /// then handed out like the rest.
    explicit RowStream(const std::string& path, const ReadOptions& options = {});
    RowStream(RowStream&&) noexcept;
    RowStream& operator=(RowStream&&) noexcept;
    ~RowStream();

    /// Waits for one row, then takes those that are there, `max_rows` at most; false at the end. A
    /// row that makes no sense is thrown as an Error after the rows before it were handed out.
    bool next(Dataset& chunk, std::size_t max_rows);

    /// On all rows so far; the chunks themselves have none.
    std::vector<std::string> notes() const;

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace bitbayes
