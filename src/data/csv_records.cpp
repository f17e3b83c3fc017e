#include "data/csv_records.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "bitbayes/types/error.hpp"

namespace bitbayes::data {

namespace {

/// The most frequent outside quotes; a comma only if it wins clearly, since it also occurs inside
/// numbers.
char find_delimiter(std::string_view record) {
    std::size_t tabs = 0, semicolons = 0, commas = 0;
    bool inside = false;
    for (const char c : record) {
        if (c == '"') inside = !inside;
        if (inside) continue;
        tabs += c == '\t';
        semicolons += c == ';';
        commas += c == ',';
    }
    if (tabs > 0 && tabs >= std::max(semicolons, commas)) return '\t';
    return semicolons > 0 && semicolons >= commas ? ';' : ',';
}

}  // namespace

bool CsvRecords::next() {
    if (!read_record()) return false;
    if (delimiter_ == '\0') delimiter_ = find_delimiter(record_);
    split();
    return true;
}

/// The next record that is not blank. A record with an open quote continues on the next line.
bool CsvRecords::read_record() {
    std::string_view line;
    do {
        if (!lines_.next(line)) return false;
    } while (trimmed(line).empty());
    line_ = lines_.number();
    record_ = line;
    auto quotes = std::count(line.begin(), line.end(), '"');
    while (quotes % 2 != 0) {
        if (!lines_.next(line)) {
            if (lines_.cut_short()) return false;
            throw Error(ErrorCode::kData, here() + "a quote is never closed");
        }
        record_ += '\n';
        record_ += line;
        lines_.input().check_line(record_.size());
        quotes += std::count(line.begin(), line.end(), '"');
    }
    return true;
}

void CsvRecords::split() {
    cells_.clear();
    unquoted_.clear();
    unquoted_.reserve(record_.size());  // cells point into it, so it must not reallocate
    const std::string_view record = record_;
    for (std::size_t position = 0; position <= record.size(); ++position) {
        const std::size_t first = record.find_first_not_of(' ', position);
        if (first != record.npos && record[first] == '"') {
            position = quoted_cell(first);
            continue;
        }
        const std::size_t end = std::min(record.find(delimiter_, position), record.size());
        const std::string_view cell = record.substr(position, end - position);
        if (cell.find('"') != cell.npos) {
            throw Error(ErrorCode::kData, here() + "a quote inside a cell without quotes",
                        "put the cell in quotes and double those inside");
        }
        cells_.push_back(trimmed(cell));
        position = end;
    }
}

/// Takes the cell whose opening quote is at `position`; returns the position of the next delimiter,
/// or the end.
std::size_t CsvRecords::quoted_cell(std::size_t position) {
    const std::size_t begin = unquoted_.size();
    while (++position < record_.size()) {
        if (record_[position] == '"' &&
            (++position == record_.size() || record_[position] != '"')) {
            break;
        }
        unquoted_ += record_[position];
    }
    cells_.push_back(std::string_view(unquoted_).substr(begin));
    position = std::min(record_.find_first_not_of(' ', position), record_.size());
    if (position < record_.size() && record_[position] != delimiter_) {
        throw Error(ErrorCode::kData, here() + "text after a closing quote");
    }
    return position;
}

}  // namespace bitbayes::data
