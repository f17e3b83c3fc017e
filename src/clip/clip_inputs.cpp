#include "clip/clip_inputs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace bitbayes::clip {
namespace {

using data::ColumnStats;
using data::Preprocessing;
using data::PreprocessKind;
using packed::ColumnType;

constexpr double kTiny = std::numeric_limits<double>::min();
constexpr packed::ColumnRange kWidest{-32768, 32767};

bool fits_as_it_is(const ColumnStats& columns, std::size_t j) {
    return columns.integer[j] && columns.minimum[j] >= kWidest.low &&
           columns.maximum[j] <= kWidest.high;
}

bool within(const ColumnStats& columns, std::span<const std::uint32_t> used, ColumnType type) {
    const auto [low, high] = packed::range_of(type);
    return std::all_of(used.begin(), used.end(), [&, low = low, high = high](std::uint32_t j) {
        return columns.minimum[j] >= low && columns.maximum[j] <= high;
    });
}

std::span<const double> thresholds_of(const Preprocessing& p, std::size_t j) {
    return std::span(p.thresholds)
        .subspan(p.threshold_start[j], p.threshold_start[j + 1] - p.threshold_start[j]);
}

}  // namespace

ClipInputs::ClipInputs(const Preprocessing& p) {
    quantiser.missing.assign(p.columns.size(), 0);
    if (p.kind == PreprocessKind::kThermometer) {
        use_comparators(p);
    } else {
        use_columns(p);
    }
    for (const std::uint32_t j : column) {
        quantiser.missing[j] = quantiser(j, p.columns.median[j]);
    }
}

void ClipInputs::use_columns(const Preprocessing& p) {
    bool whole = p.kind != PreprocessKind::kStandardize;
    for (std::uint32_t j = 0; j < p.columns.size(); ++j) {
        if (p.columns.constant(j)) continue;
        whole = whole && fits_as_it_is(p.columns, j);
        column.push_back(j);
    }
    weight = column;
    if (!whole) return quantise_together(p);
    choose_type(p.columns, p.sparse);
    if (p.kind == PreprocessKind::kNone) return;
    scale = p.scale[0];
    for (const std::uint32_t j : column) mean.push_back(p.mean[j]);
}

/// The largest |u_j| of the training rows becomes the largest int16.
void ClipInputs::quantise_together(const Preprocessing& p) {
    double largest = 0;
    for (const std::uint32_t j : column) {
        largest = std::max({largest, std::fabs(p.scaled(j, p.columns.minimum[j])),
                            std::fabs(p.scaled(j, p.columns.maximum[j]))});
    }
    unit = std::max(largest / kWidest.high, kTiny);
    quantiser.origin = p.mean;
    quantiser.origin.resize(p.columns.size(), 0);
    for (std::size_t j = 0; j < p.columns.size(); ++j) {
        const double s = p.scale.empty() ? 1 : p.scale[p.scale.size() == 1 ? 0 : j];
        quantiser.step.push_back(std::max(s * unit, kTiny));
    }
}

void ClipInputs::use_comparators(const Preprocessing& p) {
    bool whole = true;
    for (std::uint32_t j = 0; j < p.columns.size(); ++j) {
        if (thresholds_of(p, j).empty()) continue;
        whole = whole && fits_as_it_is(p.columns, j);
        column.push_back(j);
    }
    if (whole) {
        choose_type(p.columns, p.sparse);
    } else {
        quantiser.origin.assign(p.columns.size(), 0);
        quantiser.step.assign(p.columns.size(), 1);
        for (const std::uint32_t j : column) {
            if (!fits_as_it_is(p.columns, j)) quantise_for_thresholds(p, j);
        }
    }
    const std::vector<std::uint32_t> used = std::move(column);
    column.clear();
    for (const std::uint32_t j : used) {
        for (const double threshold : thresholds_of(p, j)) {
            weight.push_back(static_cast<std::uint32_t>(weight.size()));
            column.push_back(j);
            comparator.push_back(quantiser(j, threshold));
        }
    }
    mean = p.mean;
    scale = p.scale[0];
}

/// Several thresholds stay one step inside the range, so that values beyond them saturate on the
/// correct side. With one threshold only the side counts: the step is far below the resolution of
/// the column.
void ClipInputs::quantise_for_thresholds(const Preprocessing& p, std::size_t j) {
    constexpr double kSteps = kWidest.high - kWidest.low - 2;
    const auto thresholds = thresholds_of(p, j);
    if (thresholds.size() == 1) {
        const double span = p.columns.maximum[j] * 0x1p-60 - p.columns.minimum[j] * 0x1p-60;
        quantiser.step[j] = std::max(span, kTiny);
        quantiser.origin[j] = thresholds[0];
        return;
    }
    const double low = thresholds.front(), high = thresholds.back();
    quantiser.step[j] = std::max(high / kSteps - low / kSteps, kTiny);
    quantiser.origin[j] = low - (kWidest.low + 1) * quantiser.step[j];
}

void ClipInputs::choose_type(const ColumnStats& columns, bool sparse) {
    if (columns.signs && !sparse) {
        quantiser.type = ColumnType::kSign;
        return;
    }
    for (const ColumnType type : {ColumnType::kI8, ColumnType::kU8, ColumnType::kBit}) {
        if (within(columns, column, type)) quantiser.type = type;
    }
}

}  // namespace bitbayes::clip
