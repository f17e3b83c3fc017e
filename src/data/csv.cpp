#include "data/csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/text.hpp"
#include "bitbayes/types/error.hpp"
#include "data/table_review.hpp"

namespace bitbayes::data {

bool CsvReader::read_first_record() {
    started_ = true;
    if (!records_.next()) return false;
    width_ = records_.cells().size();
    plan_ = plan_csv(records_.cells(), options_, name(), records_.here());
    start_columns();
    pending_ = !plan_.header;
    return true;
}

void CsvReader::start_columns() {
    using Kind = ColumnCells::Kind;
    const TableColumns& known = options_.known;
    forced_.assign(plan_.features.size(), false);
    for (const std::string& wanted : options_.categorical) {
        const auto is_wanted = [&](std::size_t column) {
            return plan_.header ? plan_.names[column] == wanted || std::to_string(column) == wanted
                                : std::to_string(column) == wanted;
        };
        const auto found = std::find_if(plan_.features.begin(), plan_.features.end(), is_wanted);
        if (found == plan_.features.end()) {
            throw Error(ErrorCode::kUsage,
                        fmt::format("{}: no column of features {}", name(), in_quotes(wanted)));
        }
        forced_[static_cast<std::size_t>(found - plan_.features.begin())] = true;
    }
    for (std::size_t j = 0; j < plan_.features.size(); ++j) {
        if (known.features > 0) {
            columns_.push_back(known.categorical(j)
                                   ? ColumnCells(Kind::kKnownWords, known.categories[j])
                                   : ColumnCells(Kind::kNumbers));
        } else {
            columns_.emplace_back(forced_[j] ? Kind::kAnyWords : Kind::kUndecided);
        }
    }
}

/// Its name in quotes, or its number.
std::string CsvReader::column_text(std::size_t column) const {
    return plan_.header ? in_quotes(plan_.names[column]) : std::to_string(column);
}

bool CsvReader::next(Row& row) {
    if (!started_ && !read_first_record()) return false;
    if (!pending_ && !records_.next()) return false;
    pending_ = false;
    if (records_.cells().size() != width_) {
        throw Error(ErrorCode::kData, fmt::format("{}{} cell{} where the first line has {}",
                                                  records_.here(), records_.cells().size(),
                                                  records_.cells().size() == 1 ? "" : "s", width_));
    }
    read_row(row);
    return true;
}

void CsvReader::read_row(Row& row) {
    const auto& cells = records_.cells();
    row.line = records_.line();
    row.values.clear();
    for (std::size_t j = 0; j < columns_.size(); ++j) {
        const std::string_view cell = cells[plan_.features[j]];
        const auto value = columns_[j].value(cell, row.line);
        if (!value) columns_[j].refuse(cell, records_.here(), column_text(plan_.features[j]));
        row.values.push_back(*value);
    }
    read_label(row);
    if (plan_.id) row.id = cells[*plan_.id];
    if (plan_.group) row.group = cells[*plan_.group];
    if (plan_.weight) row.weight = read_weight();
}

void CsvReader::read_label(Row& row) {
    row.labelled = plan_.label.has_value();
    if (!row.labelled) return;
    row.label = records_.cells()[*plan_.label];
    if (row.label.empty() && *plan_.label + 1 == records_.cells().size()) {
        throw Error(ErrorCode::kData,
                    records_.here() + "the label is missing: the last column is empty",
                    "remove the row, or separators at the ends of all lines, or choose the column "
                    "with `label`");
    }
    if (is_missing(row.label)) {
        throw Error(ErrorCode::kData, records_.here() + "the label is missing",
                    "remove the row, or choose the column with `label`");
    }
}

float CsvReader::read_weight() const {
    const std::string_view cell = records_.cells()[*plan_.weight];
    const auto weight = parse_number(cell);
    if (weight && *weight >= 0 && *weight <= std::numeric_limits<float>::max()) {
        return static_cast<float>(*weight);
    }
    throw Error(ErrorCode::kData,
                fmt::format("{}{} in column {} is no weight", records_.here(), in_quotes(cell),
                            column_text(*plan_.weight)),
                "a weight is a number, 0 or more");
}

std::vector<std::string> CsvReader::notes() const {
    auto notes = plan_.notes;
    std::size_t missing = 0;
    for (std::size_t j = 0; j < columns_.size(); ++j) {
        const ColumnCells& column = columns_[j];
        missing += column.missing();
        if (column.unknown() == 0) continue;
        notes.push_back(fmt::format(
            "{}: {} word{} of column {} unknown to the model, taken as missing; the first is {}",
            name(), column.unknown(), column.unknown() == 1 ? "" : "s",
            column_text(plan_.features[j]), in_quotes(column.first_unknown())));
    }
    if (missing > 0) {
        notes.push_back(
            fmt::format("{}: {} missing value{}", name(), missing, missing == 1 ? "" : "s"));
    }
    return notes;
}

void CsvReader::describe(Dataset& data) const {
    for (std::size_t j = 0; j < columns_.size(); ++j) {
        if (plan_.header) data.column_names.push_back(plan_.names[plan_.features[j]]);
        if (!columns_[j].words()) continue;
        data.categories.resize(columns_.size());
        data.categories[j] = columns_[j].categories();
    }
    data.roles = plan_.roles;
    for (std::size_t column = 0; column < plan_.names.size(); ++column) {
        if (plan_.roles[column] != 'f') data.other_names.push_back(plan_.names[column]);
    }
}

Dataset read_csv(std::unique_ptr<Input> input, const ReadOptions& options) {
    CsvReader reader(std::move(input), options);
    const bool training = options.known.features == 0;
    Dataset data = read_rows(reader, training);
    if (training) review_table(data, reader.forced());
    return data;
}

Dataset read_csv(std::string_view bytes, const std::string& name, const ReadOptions& options) {
    return read_csv(std::make_unique<Input>(bytes, name), options);
}

}  // namespace bitbayes::data
