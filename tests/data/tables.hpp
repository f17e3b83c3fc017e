// Small tables, stored in each way that a data set can be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "bitbayes/types/dataset.hpp"
#include "bitbayes/types/error.hpp"

namespace bitbayes::test {

inline constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

inline Dataset table(std::size_t features, std::vector<double> values) {
    Dataset data;
    data.name = "table.csv";
    data.features = features;
    data.rows = values.size() / features;
    data.values = std::move(values);
    return data;
}

/// The same values, stored as T.
template <class T>
Dataset stored_as(const Dataset& data) {
    Dataset out = data;
    const auto& x = std::get<std::vector<double>>(data.values);
    out.values = std::vector<T>(x.begin(), x.end());
    return out;
}

inline Dataset as_sparse(const Dataset& data) {
    Dataset out = data;
    out.kind = DataKind::kSparse;
    SparseRows rows;
    const auto& x = std::get<std::vector<double>>(data.values);
    for (std::size_t r = 0; r < data.rows; ++r) {
        for (std::size_t j = 0; j < data.features; ++j) {
            const double v = x[r * data.features + j];
            if (v == 0) continue;
            rows.column.push_back(static_cast<std::uint32_t>(j));
            rows.value.push_back(static_cast<float>(v));
        }
        rows.row_start.push_back(rows.column.size());
    }
    out.values = std::move(rows);
    return out;
}

/// The code of the Error that `f` throws, or 0.
template <class F>
ErrorCode code_of(F&& f) {
    try {
        f();
    } catch (const Error& error) {
        return error.code();
    }
    return ErrorCode{0};
}

}  // namespace bitbayes::test
