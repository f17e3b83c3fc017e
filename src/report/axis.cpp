#include "report/axis.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

namespace bitbayes::report {
namespace {

constexpr double kLargest = 1e150, kSmallest = 1e-150;
constexpr double kMinSpan = 1e-6;  // of the larger end; a smaller span is widened
constexpr double kPad = 0.04;      // of the span, on either side
constexpr double kZeroPlace = 0.035, kLogStart = 0.12;  // on an axis with a zero line
constexpr double kFarthest = 50;                        // keeps coordinates short

struct Ends {
    double low = std::numeric_limits<double>::infinity();
    double high = -std::numeric_limits<double>::infinity();
    bool empty() const { return low > high; }
};

Ends ends_of(std::span<const double> values, double min_value) {
    Ends ends;
    for (const double value : values) {
        if (!is_drawable(value) || value < min_value) continue;
        ends.low = std::min(ends.low, value);
        ends.high = std::max(ends.high, value);
    }
    return ends;
}

std::vector<double> different(std::span<const double> values) {
    std::vector<double> list;
    std::copy_if(values.begin(), values.end(), std::back_inserter(list), is_drawable);
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    return list;
}

bool is_fixed(const std::optional<double>& end, double min_value) {
    return end && is_drawable(*end) && *end >= min_value;
}

}  // namespace

bool is_drawable(double value) { return std::fabs(value) <= kLargest; }

AxisMap::AxisMap(const Axis& axis, std::span<const double> values)
    : log_(axis.scale == Scale::kLog && axis.names.empty()),
      percent_(axis.percent),
      whole_(axis.whole),
      names_(axis.names) {
    if (whole_) values_ = different(values);
    if (!names_.empty()) {
        low_ = -0.5;
        high_ = static_cast<double>(names_.size()) - 0.5;
    } else if (log_) {
        fit_log(axis, values);
        zero_line_ = std::find(values.begin(), values.end(), 0.0) != values.end();
    } else {
        fit_linear(axis, values);
    }
}

void AxisMap::fit_linear(const Axis& axis, std::span<const double> values) {
    Ends ends = ends_of(values, -kLargest);
    if (ends.empty()) ends = {0, 1};
    const bool from_zero = !whole_ && ends.low >= 0 && ends.low <= ends.high / 2;
    const bool shows_zero = from_zero && !axis.low;  // then the span is that from 0
    const double pad = kPad * (shows_zero ? ends.high : ends.high - ends.low);
    low_ = from_zero ? 0 : ends.low - pad;
    high_ =
        ends.high <= 0 && ends.low < ends.high ? std::min(0.0, ends.high + pad) : ends.high + pad;
    if (percent_ && ends.high <= 1) high_ = std::min(high_, 1.0);
    const bool low_fixed = is_fixed(axis.low, -kLargest),
               high_fixed = is_fixed(axis.high, -kLargest);
    if (low_fixed) low_ = *axis.low;
    if (high_fixed) high_ = *axis.high;
    const double size = std::max(std::fabs(low_), std::fabs(high_));
    if (high_ - low_ > std::max(kMinSpan * size, kSmallest)) return;
    const double room = size > kSmallest ? size / 10 : 1;
    if (high_fixed && !low_fixed) {
        low_ = high_ - room;
    } else {
        if (!low_fixed) low_ -= room;
        high_ = low_ + 2 * room;
    }
}

void AxisMap::fit_log(const Axis& axis, std::span<const double> values) {
    constexpr double kMinRatio = 1.1, kRoom = 3;
    Ends ends = ends_of(values, kSmallest);
    if (ends.empty()) ends = {0.1, 1};
    const double pad = std::max(kMinRatio, std::pow(ends.high / ends.low, kPad));
    low_ = ends.low / pad;
    high_ = ends.high * pad;
    if (percent_ && ends.high <= 1) high_ = std::min(high_, 1.0);
    const bool low_fixed = is_fixed(axis.low, kSmallest),
               high_fixed = is_fixed(axis.high, kSmallest);
    if (low_fixed) low_ = *axis.low;
    if (high_fixed) high_ = *axis.high;
    if (high_ / low_ > kMinRatio) return;
    if (high_fixed && !low_fixed) {
        low_ = high_ / kRoom;
    } else {
        high_ = low_ * kRoom;
    }
}

std::optional<double> AxisMap::place(double value) const {
    if (!std::isfinite(value)) return std::nullopt;
    if (!log_) return std::clamp((value - low_) / (high_ - low_), -kFarthest, kFarthest);
    if (value == 0 && zero_line_) return kZeroPlace;
    if (value <= 0) return std::nullopt;
    const double start = zero_line_ ? kLogStart : 0;
    const double share = std::log(value / low_) / std::log(high_ / low_);
    return std::clamp(start + (1 - start) * share, -kFarthest, kFarthest);
}

bool AxisMap::contains(double value) const {
    return (value >= low_ && value <= high_) || (zero_line_ && value == 0);
}

std::vector<Tick> AxisMap::ticks_at_values() const {
    std::vector<Tick> ticks;
    for (const double value : values_) {
        if (contains(value)) ticks.push_back({value, whole_label(value)});
    }
    return ticks;
}

std::vector<Tick> AxisMap::ticks(std::size_t max_ticks) const {
    std::vector<Tick> named;
    for (const std::string& name : names_)
        named.push_back({static_cast<double>(named.size()), name});
    if (!named.empty()) return named;
    if (whole_ && !values_.empty() && values_.size() <= max_ticks) return ticks_at_values();
    if (!log_) {
        const bool inside = whole_ && !values_.empty();  // no seed 0 in the margin before seed 1
        const double first = inside ? std::max(low_, values_.front()) : low_;
        const double last = inside ? std::min(high_, values_.back()) : high_;
        return linear_ticks(first, last, max_ticks, percent_, whole_);
    }
    std::vector<Tick> ticks = log_ticks(low_, high_, max_ticks, percent_);
    if (zero_line_) ticks.insert(ticks.begin(), {0, format_value(0, percent_)});
    return ticks;
}

}  // namespace bitbayes::report
