#include "clip/clip_inputs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <tuple>

namespace bitbayes::clip {
namespace {

using data::ColumnStats;
using data::Preprocessing;
using data::PreprocessKind;
using packed::ColumnType;

constexpr double kTiny = std::numeric_limits<double>::min();
constexpr std::int32_t kNoLow = std::numeric_limits<std::int32_t>::min();
constexpr std::int32_t kNoHigh = std::numeric_limits<std::int32_t>::max();
constexpr double kHuge = 0x1p1020;
constexpr packed::ColumnRange kWidest{-32768, 32767};

/// The smallest power of two that is not below x.
double power_of_two(double x) {
    int exponent = 0;
    const double fraction = std::frexp(std::clamp(x, kTiny, kHuge), &exponent);
    return std::ldexp(1, fraction == 0.5 ? exponent - 1 : exponent);
}

double multiple_of(double step, double x) { return std::round(x / step) * step; }

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

/// The c for which "c_j > c" agrees best with "value > threshold": a value is above it from half a step
/// beyond, so it is the step at or below the threshold.
std::int16_t comparator_of(const packed::Quantiser& quantiser, std::size_t j, double threshold) {
    if (!quantiser.binary) return quantiser(j, threshold);
    const double step = quantiser.step[j];
    const double c = std::floor(threshold / step) - quantiser.origin[j] / step;
    return static_cast<std::int16_t>(std::clamp<double>(c, kWidest.low, kWidest.high));
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
    if (!p.sparse && quantiser.has_raw()) set_ranges(p);
}

/// A training range beyond either end of what training saw. Where columns share one scale it is the widest
/// range of them: a pixel at the border that was dark in training may be as bright as another.
void ClipInputs::set_ranges(const Preprocessing& p) {
    const auto& [minimum, maximum] = std::tie(p.columns.minimum, p.columns.maximum);
    double widest = 0;
    for (const std::uint32_t j : column) widest = std::max(widest, maximum[j] - minimum[j]);
    quantiser.low.assign(p.columns.size(), kNoLow);
    quantiser.high.assign(p.columns.size(), kNoHigh);
    for (const std::uint32_t j : column) {
        if (p.holds_words(j)) continue;
        const double step = quantiser.step.empty() ? 1 : quantiser.step[j];
        const double range = comparator.empty() ? widest : maximum[j] - minimum[j];
        const double low = std::floor((minimum[j] - range) / step);
        const double high = std::ceil((maximum[j] + range) / step);
        quantiser.low[j] = static_cast<std::int32_t>(std::clamp<double>(low, kNoLow, kNoHigh));
        quantiser.high[j] = static_cast<std::int32_t>(std::clamp<double>(high, kNoLow, kNoHigh));
    }
}

void ClipInputs::use_columns(const Preprocessing& p) {
    bool whole = p.kind != PreprocessKind::kStandardize;
    for (std::uint32_t j = 0; j < p.columns.size(); ++j) {
        if (!p.reads(j)) continue;
        whole = whole && p.columns.small_whole(j);
        column.push_back(j);
    }
    weight = column;
    if (!whole) return p.binary_steps ? use_binary_steps(p) : quantise_together(p);
    choose_type(p.columns, p.sparse);
    if (p.kind == PreprocessKind::kNone) return;
    scale = p.scale[0];
    for (const std::uint32_t j : column) mean.push_back(p.mean[j]);
}

/// One power of two for all columns, so that they may be added, counted from the multiple nearest to the
/// mean: u_j = (step (c_j + origin_j / step) - m_j) / s. A byte holds them if its step is at most s / 8,
/// so that rounding adds noise of 4 % of s.
void ClipInputs::use_binary_steps(const Preprocessing& p) {
    const bool centred = !p.mean.empty();
    double largest = 0;
    for (const std::uint32_t j : column) {
        const double middle = centred ? p.mean[j] : 0;
        largest = std::max({largest, std::fabs(p.columns.minimum[j] - middle),
                            std::fabs(p.columns.maximum[j] - middle)});
    }
    const auto step_of = [&](ColumnType type) {
        return power_of_two(largest / (packed::range_of(type).high - 1));
    };
    const bool byte = centred && 8 * step_of(ColumnType::kI8) <= p.scale[0];
    quantiser.type = byte ? ColumnType::kI8 : ColumnType::kI16;
    const double step = step_of(quantiser.type);
    quantiser.binary = true;
    quantiser.origin.assign(p.columns.size(), 0);
    quantiser.step.assign(p.columns.size(), step);
    scale = (centred ? p.scale[0] : 1) / step;
    for (std::size_t k = 0; centred && k < column.size(); ++k) {
        const std::uint32_t j = column[k];
        quantiser.origin[j] = multiple_of(step, p.mean[j]);
        mean.push_back((p.mean[j] - quantiser.origin[j]) / step);
    }
}

/// Models of before (decision 24), and standardize: the largest |u_j| of the training rows becomes the largest int16.
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
        if (!p.reads(j)) continue;
        whole = whole && p.columns.small_whole(j);
        column.push_back(j);
    }
    if (whole) {
        choose_type(p.columns, p.sparse);
    } else {
        quantiser.origin.assign(p.columns.size(), 0);
        quantiser.step.assign(p.columns.size(), 1);
        quantiser.binary = p.binary_steps;
        for (const std::uint32_t j : column) {
            if (p.columns.small_whole(j)) continue;
            p.binary_steps ? step_for_thresholds(p, j) : quantise_for_thresholds(p, j);
        }
    }
    const std::vector<std::uint32_t> used = std::move(column);
    column.clear();
    for (const std::uint32_t j : used) {
        for (const double threshold : thresholds_of(p, j)) {
            weight.push_back(static_cast<std::uint32_t>(weight.size()));
            column.push_back(j);
            comparator.push_back(comparator_of(quantiser, j, threshold));
        }
    }
    mean = p.mean;
    scale = p.scale[0];
}

/// The finest power of two with which all thresholds lie a step inside the range, so that values beyond
/// saturate on the correct side. It counts from 0; columns far from 0 from their middle.
void ClipInputs::step_for_thresholds(const Preprocessing& p, std::size_t j) {
    constexpr double kSteps = kWidest.high - 2, kFar = 8;
    const auto thresholds = thresholds_of(p, j);
    const double low = thresholds.front(), high = thresholds.back();
    const double range =
        thresholds.size() > 1 ? high - low : p.columns.maximum[j] - p.columns.minimum[j];
    const double largest = std::max(std::fabs(low), std::fabs(high));
    if (largest <= kFar * range) {
        quantiser.step[j] = power_of_two(largest > 0 ? largest / kSteps : range * 0x1p-30);
        return;
    }
    quantiser.step[j] = power_of_two(range / 2 / kSteps);
    quantiser.origin[j] = multiple_of(quantiser.step[j], std::midpoint(low, high));
}

/// Models of before. Several thresholds stay one step inside the range, so that values beyond them saturate on the
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
