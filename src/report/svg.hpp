// Building blocks for drawing figures.
#pragma once

#include <string>
#include <string_view>

#include "report/layout.hpp"

namespace bitbayes::report {

inline constexpr double kDotRadius = 3.4;

/// A coordinate: at most two decimals.
std::string coordinate(double value);

/// class, stroke and fill of a series' colour; the attributes serve viewers without custom
/// properties.
std::string colour_attributes(std::size_t colour);

/// Translucent areas, or whiskers of dots. Meant to be cut off at the plot's edges.
std::string draw_bands(const Series& series, const PanelLayout& layout);
/// Lines. Meant to be cut off at the plot's edges.
std::string draw_lines(const Series& series, const PanelLayout& layout);
/// Dots with tooltips; on lines without dots, invisible targets at least their radius apart. Only
/// inside the plot.
std::string draw_dots(const Series& series, const PanelLayout& layout);

/// One panel with its axes; `clip` is the id of its clip path.
std::string draw_panel(const PanelLayout& layout, std::string_view clip);

}  // namespace bitbayes::report
