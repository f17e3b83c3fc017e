// Figures as data: panels of lines with bands, drawn as SVG and written as CSV.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace bitbayes::report {

enum class Scale { kLinear, kLog };

struct Axis {
    std::string label;
    Scale scale = Scale::kLinear;
    /// Fixed ends; if unset, the data determine them. A value beyond a fixed end is cut off.
    std::optional<double> low, high;
    bool percent = false;  // fractions, shown as percent
    /// The values are 0, 1, ..., and have these names; empty: they are numbers.
    std::vector<std::string> names = {};
    /// The values are whole numbers: ticks stand at them if they are few, else at whole numbers.
    bool whole = false;
};

struct Point {
    double x = 0, y = 0;
    /// A vertical band around the point, e.g. quartiles over trials.
    std::optional<double> low, high;
};

enum class Mark { kLine, kLineAndDots, kDots };

struct Series {
    std::string name;
    /// Index into the palette: the same subject has the same colour everywhere.
    std::size_t colour = 0;
    std::vector<Point> points;
    Mark mark = Mark::kLine;
    bool dashed = false;
};

/// A horizontal line across the panel, e.g. a figure of the paper.
struct Reference {
    std::string name;
    double y = 0;
    std::optional<std::size_t> colour;  // none: the colour of text
};

struct Panel {
    std::string title;
    Axis x, y;
    std::vector<Series> series;
    std::vector<Reference> references;
};

struct Figure {
    std::string id;  // file name without extension, and anchor
    std::string title;
    std::string caption;
    std::vector<Panel> panels;
    std::size_t columns = 1;  // of the grid of panels
};

/// A standalone picture, readable on light and dark backgrounds. On a log axis a value of 0 is
/// drawn on a separate line below the decades, marked 0.
std::string to_svg(const Figure& figure);

/// panel,series,x,y,low,high: all numbers unrounded, empty where there is none.
std::string to_csv(const Figure& figure);

}  // namespace bitbayes::report
