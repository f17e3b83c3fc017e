#include "data/preprocess.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>

#include "bitbayes/types/error.hpp"

namespace bitbayes::data {
namespace {

constexpr double kLargest = 1e15;  // squares of inputs, and their sums, must fit into a float

[[noreturn]] void refuse_value(const Rows& data, std::size_t row, std::size_t column) {
    throw Error(
        ErrorCode::kData,
        fmt::format("{}, column {}: beyond 1e15 after preprocessing", data.where(row), column),
        "rescale the column, or train with `preprocess` thermometer:8");
}

/// u_j of center, standardize and none for the columns that varied in training; returns the first
/// column that is too large, or their number.
std::size_t scale_row(const Preprocessing& p, std::span<const double> x, float* u) {
    std::size_t bad = x.size();
    for (std::size_t j = 0; j < x.size(); ++j) {
        if (p.columns.constant(j)) continue;
        const double scaled = p.scaled(j, x[j]);
        const double used = std::isnan(scaled) ? 0 : scaled;
        if (std::fabs(used) > kLargest) bad = std::min(bad, j);
        *u++ = static_cast<float>(used);
    }
    return bad;
}

/// Whether the value says anything; a column without thresholds does not ask.
bool is_known(const Preprocessing& p, std::size_t j, double x) {
    if (std::isnan(x) || !p.holds_words(j)) return !std::isnan(x);
    const auto first = p.thresholds.begin() + static_cast<std::ptrdiff_t>(p.threshold_start[j]);
    const auto last = p.thresholds.begin() + static_cast<std::ptrdiff_t>(p.threshold_start[j + 1]);
    return std::binary_search(first, last, x);
}

void thermometer_row(const Preprocessing& p, std::span<const double> x, float* u) {
    for (std::size_t j = 0; j < x.size(); ++j) {
        const bool known = is_known(p, j, x[j]);
        for (std::size_t k = p.threshold_start[j]; k < p.threshold_start[j + 1]; ++k) {
            const bool on = p.holds_words(j) ? x[j] == p.thresholds[k] : x[j] > p.thresholds[k];
            const double b = on ? 1 : -1;
            u[k] = known ? static_cast<float>((b - p.mean[k]) / p.scale[0]) : 0;
        }
    }
}

/// The size of live_inputs() of dense rows, without the list: for single rows it would cost most.
std::size_t live_count(const Preprocessing& p) {
    std::size_t live = p.inputs();
    if (p.kind == PreprocessKind::kThermometer) return live;
    for (std::size_t j = 0; j < p.columns.size(); ++j) live -= p.columns.constant(j) ? 1 : 0;
    return live;
}

/// A row of the table, moved.
void take_row(const Preprocessing& p, const Rows& data, std::size_t row, const Shift& shift,
              std::vector<double>& raw) {
    raw.resize(p.features());
    data.copy_row(row, raw);
    if (shift.pixels > 0) shift.move(row, data.image(), raw);
}

void apply_dense(const Preprocessing& p, const Rows& data, std::span<const std::size_t> rows,
                 InputBlock& out, const Shift& shift) {
    const std::size_t live = live_count(p);
    out.stride = padded(live);
    out.value.assign(rows.size() * out.stride, 0);
    for (std::size_t r = 0; r < rows.size(); ++r) {
        float* u = out.value.data() + r * out.stride;
        take_row(p, data, rows[r], shift, out.raw);
        if (p.kind == PreprocessKind::kThermometer) {
            thermometer_row(p, out.raw, u);
        } else if (const auto bad = scale_row(p, out.raw, u); bad < out.raw.size()) {
            refuse_value(data, rows[r], bad);
        }
        if (p.bias) u[live - 1] = 1;
    }
}

/// Whether apply() may refuse a row: bytes are too small for that.
bool may_refuse(const Preprocessing& p, const Rows& data) {
    return p.kind != PreprocessKind::kThermometer &&
           !std::holds_alternative<DenseView<std::uint8_t>>(data.values());
}

template <class T>
void gather_cells(const Preprocessing& p, const Rows& data, std::span<const std::size_t> rows,
                  InputBlock& out, const Shift& shift) {
    if (!out.cells || !std::holds_alternative<std::vector<T>>(*out.cells)) {
        out.cells.emplace(std::vector<T>());
    }
    auto& cells = std::get<std::vector<T>>(*out.cells);
    cells.resize(rows.size() * p.features());
    std::vector<float> scaled(may_refuse(p, data) ? p.features() : 0);
    const auto* view = std::get_if<DenseView<T>>(&data.values());
    const bool as_they_lie = view != nullptr && view->column_stride == 1 && scaled.empty() &&
                             shift.pixels == 0 && data.features() >= p.features();
    for (std::size_t r = 0; r < rows.size(); ++r) {
        if (as_they_lie) {
            const T* from = view->data + static_cast<std::ptrdiff_t>(rows[r]) * view->row_stride;
            std::copy_n(from, p.features(), cells.data() + r * p.features());
            continue;
        }
        take_row(p, data, rows[r], shift, out.raw);
        if (!scaled.empty()) {
            const std::size_t bad = scale_row(p, out.raw, scaled.data());
            if (bad < out.raw.size()) refuse_value(data, rows[r], bad);
        }
        std::transform(out.raw.begin(), out.raw.end(), cells.data() + r * p.features(),
                       [](double x) { return static_cast<T>(x); });
    }
}

void append_entry(InputBlock& out, std::size_t index, double value) {
    out.index.push_back(static_cast<std::uint32_t>(index));
    out.value.push_back(static_cast<float>(value));
}

/// Calls visit(column, value) for the values of a row that are not 0 and whose columns the model has.
template <class Visit>
void for_each_known(const Preprocessing& p, const Rows& data, std::size_t row, const Visit& visit) {
    if (!p.kept) {
        data.for_each_nonzero(row, [&](std::size_t j, double x) {
            if (j < p.columns.size()) visit(j, x);
        });
        return;
    }
    const auto& kept = p.kept->column;
    auto at = kept.begin();
    data.for_each_nonzero(row, [&](std::size_t j, double x) {
        at = std::lower_bound(at, kept.end(), j);
        if (at != kept.end() && *at == j) visit(static_cast<std::size_t>(at - kept.begin()), x);
    });
}

void apply_sparse(const Preprocessing& p, const Rows& data, std::span<const std::size_t> rows,
                  InputBlock& out) {
    out.stride = 0;
    out.value.clear();
    out.index.clear();
    out.row_start.assign(1, 0);
    for (const std::size_t row : rows) {
        for_each_known(p, data, row, [&](std::size_t j, double x) {
            if (p.columns.constant(j) || std::isnan(x)) return;
            if (std::fabs(x) > kLargest) refuse_value(data, row, p.kept ? p.kept->column[j] : j);
            append_entry(out, j, x);
        });
        if (p.bias) append_entry(out, p.inputs() - 1, 1);
        out.row_start.push_back(out.index.size());
    }
}

}  // namespace

std::size_t Preprocessing::inputs() const {
    const std::size_t varying =
        kind == PreprocessKind::kThermometer ? thresholds.size() : columns.size();
    return varying + (bias ? 1 : 0);
}

std::vector<std::uint32_t> Preprocessing::live_inputs() const {
    std::vector<std::uint32_t> live;
    live.reserve(inputs());
    for (std::uint32_t k = 0; k < inputs(); ++k) {
        const bool column = !sparse && kind != PreprocessKind::kThermometer && k < features();
        if (!column || !columns.constant(k)) live.push_back(k);
    }
    return live;
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

void Preprocessing::check(const Rows& data) const {
    if (kind == PreprocessKind::kThermometer) return;
    std::vector<double> raw(sparse ? 0 : features());
    std::vector<float> scaled(raw.size());
    for (std::size_t row = 0; row < data.size(); ++row) {
        if (sparse) {
            for_each_known(*this, data, row, [&](std::size_t j, double x) {
                if (columns.constant(j) || !(std::fabs(x) > kLargest)) return;
                refuse_value(data, row, kept ? kept->column[j] : j);
            });
            continue;
        }
        data.copy_row(row, raw);
        const std::size_t bad = scale_row(*this, raw, scaled.data());
        if (bad < raw.size()) refuse_value(data, row, bad);
    }
}

void Preprocessing::copy_row(const Rows& data, std::size_t row, std::span<double> out) const {
    if (!kept) return data.copy_row(row, out);
    std::fill(out.begin(), out.end(), 0);
    for_each_known(*this, data, row, [&](std::size_t j, double x) { out[j] = x; });
}

void Preprocessing::apply(const Rows& data, std::span<const std::size_t> rows, InputBlock& out,
                          const Shift& shift) const {
    out.sparse = sparse;
    out.rows = rows.size();
    out.cells.reset();
    if (sparse) {
        apply_sparse(*this, data, rows, out);
    } else {
        out.row_start.clear();
        out.index.clear();
        apply_dense(*this, data, rows, out, shift);
    }
}

void Preprocessing::gather(const Rows& data, std::span<const std::size_t> rows, InputBlock& out,
                           const Shift& shift) const {
    if (sparse) return apply(data, rows, out, shift);
    out.sparse = false;
    out.rows = rows.size();
    out.stride = padded(live_count(*this));
    out.value.clear();
    if (std::holds_alternative<DenseView<std::uint8_t>>(data.values())) {
        gather_cells<std::uint8_t>(*this, data, rows, out, shift);
    } else if (std::holds_alternative<DenseView<double>>(data.values())) {
        gather_cells<double>(*this, data, rows, out, shift);
    } else {
        gather_cells<float>(*this, data, rows, out, shift);
    }
}

}  // namespace bitbayes::data
