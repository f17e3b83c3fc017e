#include "data/preprocess.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bitbayes/error.hpp"

namespace bitbayes::data {
namespace {

constexpr double kLargest = 1e15;  // squares of inputs, and their sums, must fit into a float

template <class Visit>
void for_each_nonzero(const Dataset& data, std::size_t row, const Visit& visit) {
    if (const auto* x = std::get_if<SparseRows>(&data.values)) {
        for (std::size_t e = x->row_start[row]; e < x->row_start[row + 1]; ++e) {
            if (x->value[e] != 0) visit(x->column[e], x->value[e]);
        }
        return;
    }
    std::vector<double> x(data.features);
    data.copy_row(row, x);
    for (std::size_t j = 0; j < x.size(); ++j) {
        if (x[j] != 0) visit(j, x[j]);
    }
}

[[noreturn]] void refuse_value(const Dataset& data, std::size_t row, std::size_t column) {
    throw Error(ErrorCode::kData,
                fmt::format("{}: row {}, column {} (from 0): beyond 1e15 after preprocessing",
                            data.name, row, column),
                "rescale the column, or train with --preprocess thermometer:8");
}

/// u_j of center, standardize and none; returns the first column that is too large, or features().
std::size_t scale_row(const Preprocessing& p, std::span<const double> x, float* u) {
    double largest = 0;
    for (std::size_t j = 0; j < x.size(); ++j) {
        const double scaled = p.scaled(j, x[j]);
        const double used = p.columns.constant(j) || std::isnan(scaled) ? 0 : scaled;
        largest = std::max(largest, std::fabs(used));
        u[j] = static_cast<float>(used);
    }
    if (largest <= kLargest) return x.size();
    return static_cast<std::size_t>(
        std::find_if(u, u + x.size(), [](float v) { return std::fabs(v) >= float{kLargest}; }) - u);
}

void thermometer_row(const Preprocessing& p, std::span<const double> x, float* u) {
    for (std::size_t j = 0; j < x.size(); ++j) {
        for (std::size_t k = p.threshold_start[j]; k < p.threshold_start[j + 1]; ++k) {
            const double b = x[j] > p.thresholds[k] ? 1 : -1;
            u[k] = std::isnan(x[j]) ? 0 : static_cast<float>((b - p.mean[k]) / p.scale[0]);
        }
    }
}

void apply_dense(const Preprocessing& p, const Dataset& data, std::span<const std::size_t> rows,
                 InputBlock& out) {
    const std::size_t inputs = p.inputs();
    out.stride = padded(inputs);
    out.value.assign(rows.size() * out.stride, 0);
    std::vector<double> x(p.features());
    for (std::size_t r = 0; r < rows.size(); ++r) {
        float* u = out.value.data() + r * out.stride;
        dense_row(data, rows[r], x);
        if (p.kind == PreprocessKind::kThermometer) {
            thermometer_row(p, x, u);
        } else if (const auto bad = scale_row(p, x, u); bad < x.size()) {
            refuse_value(data, rows[r], bad);
        }
        if (p.bias) u[inputs - 1] = 1;
    }
}

void append_entry(InputBlock& out, std::size_t index, double value) {
    out.index.push_back(static_cast<std::uint32_t>(index));
    out.value.push_back(static_cast<float>(value));
}

void apply_sparse(const Preprocessing& p, const Dataset& data, std::span<const std::size_t> rows,
                  InputBlock& out) {
    out.stride = 0;
    out.value.clear();
    out.index.clear();
    out.row_start.assign(1, 0);
    for (const std::size_t row : rows) {
        for_each_nonzero(data, row, [&](std::size_t j, double x) {
            if (j >= p.features() || p.columns.constant(j) || std::isnan(x)) return;
            if (std::fabs(x) > kLargest) refuse_value(data, row, j);
            append_entry(out, j, x);
        });
        if (p.bias) append_entry(out, p.inputs() - 1, 1);
        out.row_start.push_back(out.index.size());
    }
}

}  // namespace

void dense_row(const Dataset& data, std::size_t row, std::span<double> out) {
    std::fill(out.begin(), out.end(), 0);
    if (!data.sparse()) return data.copy_row(row, out.first(data.features));
    for_each_nonzero(data, row, [&](std::size_t j, double x) {
        if (j < out.size()) out[j] = x;
    });
}

std::size_t Preprocessing::inputs() const {
    const std::size_t varying =
        kind == PreprocessKind::kThermometer ? thresholds.size() : features();
    return varying + (bias ? 1 : 0);
}

std::string Preprocessing::name() const {
    switch (kind) {
        case PreprocessKind::kNone:
            return "none";
        case PreprocessKind::kCenter:
            return "center";
        case PreprocessKind::kStandardize:
            return "standardize";
        case PreprocessKind::kThermometer:
            break;
    }
    return fmt::format("thermometer:{}", levels);
}

void check_columns(const Dataset& data, std::size_t features) {
    if (data.sparse() || data.features == features) return;
    throw Error(ErrorCode::kData, fmt::format("{}: {} columns, but the model was trained on {}",
                                              data.name, data.features, features));
}

void Preprocessing::apply(const Dataset& data, std::span<const std::size_t> rows,
                          InputBlock& out) const {
    out.sparse = sparse;
    out.rows = rows.size();
    if (sparse) {
        apply_sparse(*this, data, rows, out);
    } else {
        out.row_start.clear();
        out.index.clear();
        apply_dense(*this, data, rows, out);
    }
}

}  // namespace bitbayes::data
