// Rows as they arrive: what `tail -f FILE | bitbayes predict MODEL -` needs.
#pragma once

#include <cstddef>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "bitbayes/types/reading.hpp"
#include "data/rows.hpp"

namespace bitbayes::data {

class RowStream {
  public:
    /// `path` may be "-". Waits for the first line. IDX and NPZ files are read whole, then returned
    /// in chunks like the rest.
    explicit RowStream(const std::string& path, const ReadOptions& options = {});

    /// Waits for one row, then takes all that have arrived, at most `max_rows`; false at the end. A
    /// malformed row is thrown as an Error once the rows before it have been returned.
    bool next(Dataset& chunk, std::size_t max_rows);

    /// Notes on all rows so far; the chunks themselves carry none.
    std::vector<std::string> notes() const { return reader_ ? reader_->notes() : whole_.notes; }

  private:
    std::unique_ptr<RowReader> reader_;  // text
    Dataset whole_;                      // other formats
    std::size_t done_ = 0;               // rows of whole_
    std::exception_ptr failure_;         // thrown by the reader, rethrown by the next call
};

}  // namespace bitbayes::data
