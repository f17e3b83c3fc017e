// Rows as they come: what `tail -f FILE | bitbayes predict MODEL -` needs.
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
    /// `path` may be "-". Waits for the first line. IDX and NPZ are read whole, and then handed out
    /// like the rest.
    explicit RowStream(const std::string& path, const ReadOptions& options = {});

    /// Waits for one row, then takes those that are there, `max_rows` at most; false at the end. A
    /// row that makes no sense is thrown as an Error after the rows before it were handed out.
    bool next(Dataset& chunk, std::size_t max_rows);

    /// On all rows so far; the chunks themselves have none.
    std::vector<std::string> notes() const { return reader_ ? reader_->notes() : whole_.notes; }

  private:
    std::unique_ptr<RowReader> reader_;  // text
    Dataset whole_;                      // other formats
    std::size_t done_ = 0;               // rows of whole_
    std::exception_ptr failure_;         // what the reader threw
};

}  // namespace bitbayes::data
