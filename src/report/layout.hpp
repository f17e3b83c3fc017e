// Where everything of a figure goes, in the units of its SVG; y points down.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "report/axis.hpp"
#include "report/figure.hpp"

namespace bitbayes::report {

inline constexpr double kTitleSize = 15, kPanelTitleSize = 12.5, kLabelSize = 12, kTickSize = 11;
inline constexpr double kEdge = 14, kTitleLine = 21, kSwatchWidth = 26, kReferenceLine = 13;

struct Box {
    double left = 0, top = 0, width = 0, height = 0;
    double right() const { return left + width; }
    double bottom() const { return top + height; }
};

struct LegendEntry {
    const Series* series;
    bool band;
    double left, middle;
};

/// A reference's name beside the panel; `middle` is moved off the line where names would overlap.
struct ReferenceLabel {
    const Reference* reference;
    std::vector<std::string> lines;
    double line_y, middle;
};

struct PanelLayout {
    const Panel* panel;
    Box plot;
    AxisMap x, y;
    std::vector<Tick> x_ticks, y_ticks;
    bool x_label = true, y_label = true;
    std::vector<ReferenceLabel> references;

    std::optional<double> place_x(double value) const;
    std::optional<double> place_y(double value) const;
};

struct FigureLayout {
    double width = 0, height = 0;
    std::vector<std::string> title;  // lines
    std::vector<LegendEntry> legend;
    std::vector<PanelLayout> panels;
};

/// Width of the whole figure; depends only on the number of columns.
double figure_width(const Figure& figure);

/// The layout points into `figure`, which must outlive it.
FigureLayout lay_out(const Figure& figure);

/// One entry per distinct look of a series, not placed yet.
std::vector<LegendEntry> legend_of(const Figure& figure);

/// Places the legend in as few rows as possible below `top`; returns its bottom.
double place_legend(double top, double width, std::vector<LegendEntry>& legend);

/// Moves boxes, whose middles are ascending, by as little as possible until none overlap; then
/// moves all of them into [low, high] if they fit.
std::vector<double> spread(std::span<const double> middles, std::span<const double> heights,
                           double low, double high);

}  // namespace bitbayes::report
