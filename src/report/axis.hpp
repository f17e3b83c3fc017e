// From values to places along an axis.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "report/figure.hpp"
#include "report/ticks.hpp"

namespace bitbayes::report {

/// Finite, and of a size for which differences and ratios can be computed: only such values
/// determine the ends.
bool is_drawable(double value);

/// The ends and the map of one axis; places are shares of its length, 0 at its low end.
class AxisMap {
  public:
    /// `values` determine the ends that the axis leaves open.
    AxisMap(const Axis& axis, std::span<const double> values);

    double low() const { return low_; }
    double high() const { return high_; }
    /// A log axis with a 0 among its values.
    bool has_zero_line() const { return zero_line_; }
    /// nullopt for values without a place on the axis: not finite, or not positive on a log axis (0
    /// has one if there is a zero line). Beyond the ends the place is outside 0..1.
    std::optional<double> place(double value) const;
    /// Between the ends, or on the zero line.
    bool contains(double value) const;
    std::vector<Tick> ticks(std::size_t max_ticks) const;

  private:
    void fit_linear(const Axis& axis, std::span<const double> values);
    void fit_log(const Axis& axis, std::span<const double> values);
    std::vector<Tick> ticks_at_values() const;

    bool log_, percent_, whole_;
    std::vector<std::string> names_;
    std::vector<double> values_;  // different ones, ascending; only of an axis of whole numbers
    bool zero_line_ = false;
    double low_ = 0, high_ = 1;
};

}  // namespace bitbayes::report
