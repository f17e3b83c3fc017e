#include "data/csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/text.hpp"
#include "bitbayes/types/error.hpp"

namespace bitbayes::data {

namespace {

bool is_missing(std::string_view cell) { return cell.empty() || cell == "?" || cell == "NA"; }

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

/// The next record that is not blank. A record with an open quote continues on the next line.
bool CsvReader::next_record() {
    std::string_view line;
    do {
        if (!lines_.next(line)) return false;
    } while (trimmed(line).empty());
    line_ = lines_.number();
    record_ = line;
    auto quotes = std::count(line.begin(), line.end(), '"');
    while (quotes % 2 != 0) {
        if (!lines_.next(line)) throw Error(ErrorCode::kData, here() + "a quote is never closed");
        record_ += '\n';
        record_ += line;
        lines_.input().check_line(record_.size());
        quotes += std::count(line.begin(), line.end(), '"');
    }
    return true;
}

void CsvReader::split_record() {
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
std::size_t CsvReader::quoted_cell(std::size_t position) {
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

void CsvReader::read_first_record() {
    started_ = true;
    if (!next_record()) return;
    delimiter_ = find_delimiter(record_);
    split_record();
    width_ = cells_.size();
    choose_columns();
    pending_ = !is_header();
    if (pending_) return;
    for (const std::size_t column : features_) column_names_.emplace_back(cells_[column]);
}

CsvReader::Column CsvReader::find_column(const std::string& wanted) const {
    if (const auto index = parse_index(wanted)) {
        if (*index < width_) return {*index, false};
        throw Error(ErrorCode::kUsage, fmt::format("{}: no column {}: there are {}, counted from 0",
                                                   name(), wanted, width_));
    }
    const auto found = std::find(cells_.begin(), cells_.end(), wanted);
    if (found == cells_.end()) {
        throw Error(ErrorCode::kUsage, fmt::format("{}: no column named {} in the first line",
                                                   name(), in_quotes(wanted)));
    }
    return {static_cast<std::size_t>(found - cells_.begin()), true};
}

void CsvReader::choose_columns() {
    std::vector<bool> ignored(width_);
    for (const auto& wanted : options_.ignore) {
        const Column column = find_column(wanted);
        ignored[column.index] = true;
        named_columns_ |= column.by_name;
    }
    const auto kept = static_cast<std::size_t>(std::count(ignored.begin(), ignored.end(), false));
    if (kept > 0 && kept != options_.known.features) label_ = choose_label(ignored);
    for (std::size_t column = 0; column < width_; ++column) {
        if (!ignored[column] && column != label_) features_.push_back(column);
    }
    if (features_.empty()) {
        throw Error(ErrorCode::kData, here() + "no column of features",
                    "columns are separated by a comma, a semicolon or a tab");
    }
}

std::optional<std::size_t> CsvReader::choose_label(const std::vector<bool>& ignored) {
    if (options_.label == "first")
        return std::find(ignored.begin(), ignored.end(), false) - ignored.begin();
    if (options_.label.empty() || options_.label == "last") {
        return ignored.rend() - std::find(ignored.rbegin(), ignored.rend(), false) - 1;
    }
    const Column column = find_column(options_.label);
    if (ignored[column.index]) {
        throw Error(ErrorCode::kUsage, fmt::format("{}: the label column {} is also ignored",
                                                   name(), in_quotes(options_.label)));
    }
    named_columns_ |= column.by_name;
    return column.index;
}

/// A first line whose feature cells are not all numbers or missing. Words like nan do not make a
/// header; they are reported as errors later.
bool CsvReader::is_header() {
    if (named_columns_) return true;
    std::size_t numbers = 0;
    std::string_view word;
    for (const std::size_t column : features_) {
        const std::string_view cell = cells_[column];
        if (parse_number(cell)) {
            ++numbers;
        } else if (!is_missing(cell) && !is_nan_or_infinity(cell)) {
            word = cell;
        }
    }
    if (word.empty()) return false;
    if (numbers > 0) {
        notes_.push_back(
            fmt::format("{}taken as a header: {} is not a number", here(), in_quotes(word)));
    }
    return true;
}

double CsvReader::parse_cell(std::size_t column) {
    const std::string_view cell = cells_[column];
    if (const auto number = parse_number(cell)) return *number;
    if (is_missing(cell)) {
        ++missing_;
        return std::numeric_limits<double>::quiet_NaN();
    }
    const std::string what =
        fmt::format("{}{} in column {} is not a {}number", here(), in_quotes(cell), column,
                    is_nan_or_infinity(cell) ? "finite " : "");
    throw Error(ErrorCode::kData, what, "a missing value is an empty cell, ? or NA");
}

bool CsvReader::next(Row& row) {
    if (!started_) read_first_record();
    if (!pending_) {
        if (!next_record()) return false;
        split_record();
    }
    pending_ = false;
    if (cells_.size() != width_) {
        throw Error(ErrorCode::kData, fmt::format("{}{} cells where the first line has {}", here(),
                                                  cells_.size(), width_));
    }
    row.values.clear();
    for (const std::size_t column : features_) row.values.push_back(parse_cell(column));
    row.labelled = label_.has_value();
    if (row.labelled) {
        row.label = cells_[*label_];
        if (is_missing(row.label)) {
            throw Error(ErrorCode::kData, here() + "the label is missing",
                        "remove the row, or choose the column with `label`");
        }
    }
    return true;
}

std::vector<std::string> CsvReader::notes() const {
    auto notes = notes_;
    if (missing_ > 0) {
        notes.push_back(
            fmt::format("{}: {} missing value{}", name(), missing_, missing_ == 1 ? "" : "s"));
    }
    return notes;
}

Dataset read_csv(std::string_view bytes, const std::string& name, const ReadOptions& options) {
    CsvReader reader(std::make_unique<Input>(bytes, name), options);
    return read_rows(reader);
}

}  // namespace bitbayes::data
