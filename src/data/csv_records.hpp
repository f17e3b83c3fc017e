// CSV text as records of cells: RFC 4180 quotes, the delimiter , ; or tab taken from the first line.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/input.hpp"

namespace bitbayes::data {

class CsvRecords {
  public:
    CsvRecords(std::unique_ptr<Input> input, std::function<bool()> cut_short)
        : lines_(std::move(input), std::move(cut_short)) {}

    /// Reads the next record that is not blank; false at the end.
    bool next();
    /// True if next() would not wait.
    bool ready() { return lines_.ready(); }
    const std::string& name() const { return lines_.name(); }
    const Input& input() const { return lines_.input(); }

    /// Cells without quotes and blanks around them, valid until the next call of next().
    const std::vector<std::string_view>& cells() const { return cells_; }
    /// Where the record begins, from 1.
    std::size_t line() const { return line_; }
    /// "FILE:LINE: ", for error messages.
    std::string here() const { return lines_.where(line_); }

  private:
    bool read_record();
    void split();
    std::size_t quoted_cell(std::size_t position);

    LineReader lines_;
    char delimiter_ = '\0';  // not yet known
    std::string record_;
    std::size_t line_ = 0;
    std::string unquoted_;  // cells_ point into record_ or into this
    std::vector<std::string_view> cells_;
};

}  // namespace bitbayes::data
