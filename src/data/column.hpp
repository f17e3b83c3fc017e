// The columns of a table, one at a time, as sorted values with their counts: every figure that
// preprocessing needs is a sum in ascending order of the values, so it depends neither on the order
// of the rows nor on how they are stored.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <variant>
#include <vector>

#include "bitbayes/types/rows.hpp"

namespace bitbayes::data {

struct Column {
    std::vector<double> value;         // distinct, ascending, missing ones left out
    std::vector<std::uint64_t> count;  // of each value
    std::uint64_t present = 0;         // the sum of the counts

    /// Values must come in ascending order.
    void append(double v, std::uint64_t times) {
        if (value.empty() || value.back() != v) {
            value.push_back(v);
            count.push_back(0);
        }
        count.back() += times;
        present += times;
    }

    bool constant() const { return value.size() < 2; }

    /// The value at position `rank` (from 0) of all values sorted.
    double at_rank(std::uint64_t rank) const { return value[index_at_rank(rank)]; }
    std::size_t index_at_rank(std::uint64_t rank) const {
        std::size_t i = 0;
        for (std::uint64_t seen = count[0]; seen <= rank; seen += count[i]) ++i;
        return i;
    }

    /// The lowest of the values that occur most often; there must be one.
    double most_frequent() const {
        return value[static_cast<std::size_t>(std::max_element(count.begin(), count.end()) -
                                              count.begin())];
    }

    double mean() const {
        if (constant()) return value.empty() ? 0 : value[0];
        double sum = 0;
        for (std::size_t i = 0; i < value.size(); ++i)
            sum += value[i] * static_cast<double>(count[i]);
        return sum / static_cast<double>(present);
    }

    double squared_deviations(double from) const {
        double sum = 0;
        for (std::size_t i = 0; i < value.size(); ++i) {
            const double off = value[i] - from;
            sum += off * off * static_cast<double>(count[i]);
        }
        return sum;
    }
};

using ColumnVisitor = std::function<void(std::size_t index, const Column&)>;

namespace detail {

// Columns gathered in one pass over the rows: a table is never copied as a whole.
inline constexpr std::size_t kColumnsAtOnce = 16;

inline void visit_block(const DenseView<std::uint8_t>& x, std::size_t rows, std::size_t first,
                        std::size_t columns, const ColumnVisitor& visit) {
    std::array<std::array<std::uint64_t, 256>, kColumnsAtOnce> histogram{};
    for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t j = 0; j < columns; ++j) ++histogram[j][x.at(r, first + j)];
    }
    for (std::size_t j = 0; j < columns; ++j) {
        Column column;
        for (std::size_t v = 0; v < 256; ++v) {
            if (histogram[j][v] > 0) column.append(static_cast<double>(v), histogram[j][v]);
        }
        visit(first + j, column);
    }
}

template <class T>
void visit_block(const DenseView<T>& x, std::size_t rows, std::size_t first, std::size_t columns,
                 const ColumnVisitor& visit) {
    std::array<std::vector<T>, kColumnsAtOnce> present;
    for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t j = 0; j < columns; ++j) {
            const T value = x.at(r, first + j);
            if (!std::isnan(value)) present[j].push_back(value + T{0});  // -0 becomes 0
        }
    }
    for (std::size_t j = 0; j < columns; ++j) {
        std::sort(present[j].begin(), present[j].end());
        Column column;
        for (const T v : present[j]) column.append(v, 1);
        visit(first + j, column);
    }
}

template <class T>
void visit_columns(const DenseView<T>& x, const Rows& rows, const ColumnVisitor& visit, bool) {
    for (std::size_t first = 0; first < rows.features(); first += kColumnsAtOnce) {
        visit_block(x, rows.size(), first, std::min(kColumnsAtOnce, rows.features() - first),
                    visit);
    }
}

/// `stored` are the entries of one column; all other rows hold 0.
inline Column sparse_column(std::size_t rows, std::vector<float> stored) {
    std::uint64_t zeros = rows - stored.size();
    std::erase_if(stored, [](float v) { return std::isnan(v); });
    std::sort(stored.begin(), stored.end());
    Column column;
    for (const float v : stored) {
        if (v >= 0 && zeros > 0) column.append(0, zeros);
        if (v >= 0) zeros = 0;
        column.append(v + 0.0, 1);
    }
    if (zeros > 0) column.append(0, zeros);
    return column;
}

/// Columns without an entry hold 0 in all rows, and are visited only `with_empty` ones.
inline void visit_columns(const SparseView& x, const Rows& rows, const ColumnVisitor& visit,
                          bool with_empty) {
    struct Entry {
        std::uint32_t column;
        float value;
    };
    std::vector<Entry> entries(x.value.size());
    for (std::size_t e = 0; e < entries.size(); ++e) entries[e] = {x.column[e], x.value[e]};
    std::sort(entries.begin(), entries.end(),
              [](const Entry& a, const Entry& b) { return a.column < b.column; });
    std::size_t next = 0;  // column
    const auto visit_empty = [&](std::size_t end) {
        for (; with_empty && next < end; ++next) visit(next, sparse_column(rows.size(), {}));
    };
    for (auto first = entries.begin(); first != entries.end();) {
        const std::size_t column = first->column;
        visit_empty(column);
        std::vector<float> stored;
        for (; first != entries.end() && first->column == column; ++first) {
            stored.push_back(first->value);
        }
        visit(column, sparse_column(rows.size(), std::move(stored)));
        next = column + 1;
    }
    visit_empty(rows.features());
}

}  // namespace detail

/// Calls `visit` once per column, in order; without `with_empty`, columns of sparse rows that have no
/// entry are left out.
inline void for_each_column(const Rows& rows, const ColumnVisitor& visit, bool with_empty = true) {
    std::visit([&](const auto& x) { detail::visit_columns(x, rows, visit, with_empty); },
               rows.values());
}

}  // namespace bitbayes::data
