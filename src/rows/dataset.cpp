#include "bitbayes/types/dataset.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bitbayes/types/error.hpp"
#include "bitbayes/types/rows.hpp"

namespace bitbayes {

namespace {

template <class T>
std::vector<T> select_rows(const std::vector<T>& values, std::size_t features,
                           std::span<const std::size_t> chosen) {
    std::vector<T> out;
    out.reserve(chosen.size() * features);
    for (const std::size_t row : chosen) {
        const auto begin = values.begin() + static_cast<std::ptrdiff_t>(row * features);
        out.insert(out.end(), begin, begin + static_cast<std::ptrdiff_t>(features));
    }
    return out;
}

/// For lists that may be empty.
template <class T>
std::vector<T> select_present(const std::vector<T>& values, std::span<const std::size_t> chosen) {
    return values.empty() ? values : select_rows(values, 1, chosen);
}

SparseRows select_rows(const SparseRows& rows, std::size_t, std::span<const std::size_t> chosen) {
    SparseRows out;
    for (const std::size_t row : chosen) {
        const auto begin = static_cast<std::ptrdiff_t>(rows.row_start[row]);
        const auto end = static_cast<std::ptrdiff_t>(rows.row_start[row + 1]);
        out.column.insert(out.column.end(), rows.column.begin() + begin, rows.column.begin() + end);
        out.value.insert(out.value.end(), rows.value.begin() + begin, rows.value.begin() + end);
        out.row_start.push_back(out.column.size());
    }
    return out;
}

/// Looks at this row alone: checking all of them for each would make a loop over them quadratic.
void copy_sparse(const SparseRows& rows, std::size_t row, std::span<double> out) {
    const bool there = rows.row_start.size() > row + 1 &&
                       rows.row_start[row] <= rows.row_start[row + 1] &&
                       rows.row_start[row + 1] <= std::min(rows.column.size(), rows.value.size());
    if (!there) throw Error(ErrorCode::kUsage, fmt::format("sparse row {} is not there", row));
    std::fill(out.begin(), out.end(), 0);
    for (std::size_t e = rows.row_start[row]; e < rows.row_start[row + 1]; ++e) {
        if (rows.column[e] < out.size()) out[rows.column[e]] = rows.value[e];
    }
}

}  // namespace

void Dataset::copy_row(std::size_t row, std::span<double> out) const {
    if (row >= rows || out.size() != features) {
        throw Error(ErrorCode::kUsage, fmt::format("{}: row {} of {}, {} elements for {} columns",
                                                   name, row, rows, out.size(), features));
    }
    if (const auto* x = std::get_if<SparseRows>(&values)) return copy_sparse(*x, row, out);
    Rows(*this).copy_row(row, out);
}

Dataset Dataset::select(std::span<const std::size_t> chosen) const {
    const Rows checked(*this);
    if (labelled()) LabelledRows(*this);
    for (const std::size_t row : chosen) {
        if (row < checked.size()) continue;
        throw Error(ErrorCode::kUsage, fmt::format("{}: row {} of {}", name, row, rows));
    }
    Dataset out;
    out.name = name;
    out.kind = kind;
    out.rows = chosen.size();
    out.features = features;
    out.class_names = class_names;
    out.column_names = column_names;
    out.notes = notes;
    out.categories = categories;
    out.roles = roles;
    out.other_names = other_names;
    out.image = image;
    out.ids = select_present(ids, chosen);
    out.weights = select_present(weights, chosen);
    out.groups = select_present(groups, chosen);
    out.lines = select_present(lines, chosen);
    std::visit([&](const auto& v) { out.values = select_rows(v, features, chosen); }, values);
    if (labelled()) out.labels = select_rows(labels, 1, chosen);
    return out;
}

}  // namespace bitbayes
