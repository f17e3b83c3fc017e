#include <algorithm>
#include <numeric>

#include "report/layout.hpp"
#include "report/text_size.hpp"

namespace bitbayes::report {
namespace {

bool same_look(const Series& a, const Series& b) {
    return a.name == b.name && a.colour == b.colour && a.mark == b.mark && a.dashed == b.dashed;
}

bool has_band(const Series& series) {
    return std::any_of(series.points.begin(), series.points.end(),
                       [](const Point& point) { return point.low && point.high; });
}

/// Widths of the columns if entries stand in rows of `columns`.
std::vector<double> legend_columns(std::span<const LegendEntry> legend, std::size_t columns) {
    constexpr double kAroundName = 24;
    std::vector<double> widths(columns, 0);
    for (std::size_t i = 0; i < legend.size(); ++i) {
        const double name = text_width(legend[i].series->name, kLabelSize);
        double& width = widths[i % columns];
        width = std::max(width, kSwatchWidth + kAroundName + name);
    }
    return widths;
}

}  // namespace

std::vector<LegendEntry> legend_of(const Figure& figure) {
    std::vector<LegendEntry> legend;
    for (const Panel& panel : figure.panels) {
        for (const Series& series : panel.series) {
            if (series.name.empty()) continue;
            const auto known = std::find_if(
                legend.begin(), legend.end(),
                [&](const LegendEntry& entry) { return same_look(*entry.series, series); });
            if (known == legend.end()) {
                legend.push_back({&series, has_band(series), 0, 0});
            } else {
                known->band = known->band || has_band(series);
            }
        }
    }
    return legend;
}

double place_legend(double top, double width, std::vector<LegendEntry>& legend) {
    constexpr double kLegendLine = 20;
    if (legend.empty()) return top;
    std::size_t columns = legend.size();
    std::vector<double> widths = legend_columns(legend, columns);
    while (columns > 1 && std::accumulate(widths.begin(), widths.end(), 0.0) > width)
        widths = legend_columns(legend, --columns);
    const std::size_t rows = (legend.size() + columns - 1) / columns;
    widths = legend_columns(legend, (legend.size() + rows - 1) / rows);
    for (std::size_t i = 0; i < legend.size(); ++i) {
        const auto column = static_cast<std::ptrdiff_t>(i % widths.size());
        legend[i].left = std::accumulate(widths.begin(), widths.begin() + column, kEdge);
        legend[i].middle = top + kLegendLine * (static_cast<double>(i / widths.size()) + 0.5);
    }
    return top + kLegendLine * static_cast<double>(rows);
}

}  // namespace bitbayes::report
