#include "data/rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "bitbayes/types/error.hpp"
#include "data/table_review.hpp"

namespace bitbayes::data {

namespace {

bool fits(double value, std::uint8_t) {
    return value >= 0 && value <= 255 && value == std::floor(value);
}

bool fits(double value, float) {
    if (std::isnan(value)) return true;
    return std::abs(value) <= std::numeric_limits<float>::max() &&
           static_cast<double>(static_cast<float>(value)) == value;
}

template <class To>
void widen(DenseValues& values) {
    values = std::visit(
        [](const auto& v) { return DenseValues(std::vector<To>(v.begin(), v.end())); }, values);
}

}  // namespace

void ValueBuilder::add(double value) {
    if (auto* bytes = std::get_if<std::vector<std::uint8_t>>(&values_)) {
        if (fits(value, std::uint8_t{})) return bytes->push_back(static_cast<std::uint8_t>(value));
        widen<float>(values_);
    }
    if (auto* floats = std::get_if<std::vector<float>>(&values_)) {
        if (fits(value, float{})) return floats->push_back(static_cast<float>(value));
        widen<double>(values_);
    }
    std::get<std::vector<double>>(values_).push_back(value);
}

std::size_t ValueBuilder::bytes() const {
    return std::visit([](const auto& values) { return values.size() * sizeof(values[0]); },
                      values_);
}

void ValueBuilder::finish(Dataset& data) {
    std::visit([&](auto& values) { data.values = std::move(values); }, values_);
    values_ = {};
}

void DatasetBuilder::add(const Row& row) {
    ++rows_;
    if (row.labelled) labels_.add(row.label);
    if (row.id) {
        ids_.push_back(*row.id);
        id_bytes_ += sizeof(std::string) + row.id->size();
    }
    if (row.weight) weights_.push_back(*row.weight);
    if (row.group) {
        const auto next = static_cast<std::uint32_t>(group_of_.size());
        groups_.push_back(group_of_.try_emplace(*row.group, next).first->second);
    }
    lines_.push_back(static_cast<std::uint32_t>(std::min<std::size_t>(row.line, UINT32_MAX)));
    if (kind_ == DataKind::kSparse) {
        sparse_.column.insert(sparse_.column.end(), row.columns.begin(), row.columns.end());
        sparse_.value.insert(sparse_.value.end(), row.values.begin(), row.values.end());
        sparse_.row_start.push_back(sparse_.column.size());
        if (!row.columns.empty())
            features_ = std::max<std::size_t>(features_, row.columns.back() + 1);
    } else {
        features_ = row.values.size();
        for (const double value : row.values) dense_.add(value);
    }
    input_.check_memory(bytes());
}

std::size_t DatasetBuilder::bytes() const {
    return dense_.bytes() + labels_.bytes() +
           sparse_.column.size() * (sizeof(sparse_.column[0]) + sizeof(sparse_.value[0])) +
           sparse_.row_start.size() * sizeof(sparse_.row_start[0]) + id_bytes_ +
           rows_ * (sizeof(lines_[0]) + sizeof(groups_[0]) + sizeof(weights_[0]));
}

Dataset DatasetBuilder::finish() {
    Dataset data;
    data.name = name_;
    data.kind = kind_;
    data.rows = std::exchange(rows_, 0);
    data.features = std::exchange(features_, 0);
    labels_.finish(data);
    data.ids = std::exchange(ids_, {});
    id_bytes_ = 0;
    data.weights = std::exchange(weights_, {});
    data.groups = std::exchange(groups_, {});
    data.lines = std::exchange(lines_, {});
    if (kind_ == DataKind::kSparse) {
        data.values = std::exchange(sparse_, {});
    } else {
        dense_.finish(data);
    }
    return data;
}

Dataset read_rows(RowReader& reader, bool training) {
    DatasetBuilder builder(reader);
    for (Row row; reader.next(row);) builder.add(row);
    if (builder.rows() == 0) throw Error(ErrorCode::kData, reader.name() + ": no rows");
    const auto spellings = builder.labels().spellings();
    Dataset data = builder.finish();
    data.notes = reader.notes();
    if (training) {
        for (auto& note : label_notes(data, spellings)) data.notes.push_back(std::move(note));
    }
    reader.describe(data);
    return data;
}

}  // namespace bitbayes::data
