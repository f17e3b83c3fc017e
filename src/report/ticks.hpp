// Ticks of an axis: their positions and labels.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace bitbayes::report {

struct Tick {
    double value = 0;
    std::string label;
    bool major = true;  // minor ones have no label and no grid line
};

/// Multiples of 1, 2, 2.5 or 5 times a power of ten in [low, high], at most `max_ticks` of them.
/// max_ticks >= 2; from 7 on there are at least three ticks, unless `whole` leaves out
/// those between whole numbers. low < high, both finite.
std::vector<Tick> linear_ticks(double low, double high, std::size_t max_ticks, bool percent,
                               bool whole = false);

/// From two decades on, decades (or every k-th) or 1-3; below, 1-2-5 or finer. Minor ticks at 2..9
/// of each decade. 0 < low < high.
std::vector<Tick> log_ticks(double low, double high, std::size_t max_ticks, bool percent);

/// All digits of a whole number.
std::string whole_label(double value);

/// Six digits, with a percent sign where the axis has one.
std::string format_value(double value, bool percent);

}  // namespace bitbayes::report
