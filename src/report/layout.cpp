#include "report/layout.hpp"

#include <algorithm>

#include "report/text_size.hpp"

namespace bitbayes::report {
namespace {

constexpr double kPanelTitle = 22, kAxisLabel = 20, kTickLabel = 20;
constexpr double kTickGap = 9;        // between tick labels and plot
constexpr double kReferenceGap = 12;  // between plot and names of references
constexpr double kPanelGap = 12, kAfterTitle = 4;

AxisMap map_x(const Panel& panel) {
    std::vector<double> values;
    for (const Series& series : panel.series)
        for (const Point& point : series.points)
            if (is_drawable(point.y)) values.push_back(point.x);
    return {panel.x, values};
}

AxisMap map_y(const Panel& panel, const AxisMap& x) {
    std::vector<double> values;
    for (const Series& series : panel.series) {
        for (const Point& point : series.points) {
            if (!x.contains(point.x)) continue;
            values.push_back(point.y);
            if (point.low) values.push_back(*point.low);
            if (point.high) values.push_back(*point.high);
        }
    }
    for (const Reference& reference : panel.references) values.push_back(reference.y);
    return {panel.y, values};
}

double widest_label(std::span<const Tick> ticks) {
    double widest = 0;
    for (const Tick& tick : ticks) widest = std::max(widest, text_width(tick.label, kTickSize));
    return widest;
}

/// Removes labels that would touch the one before; returns how many.
std::size_t drop_crowded_labels(const AxisMap& map, double length, std::vector<Tick>& ticks) {
    constexpr double kBetween = 7;
    double end = -1e9;
    std::size_t dropped = 0;
    for (Tick& tick : ticks) {
        if (!tick.major) continue;
        const double middle = length * map.place(tick.value).value_or(0);
        const double half = text_width(tick.label, kTickSize) / 2;
        if (middle - half < end + kBetween) {
            tick.label.clear();
            ++dropped;
        } else {
            end = middle + half;
        }
    }
    return dropped;
}

/// As many ticks as have room for their labels side by side.
std::vector<Tick> ticks_along(const AxisMap& map, double length) {
    constexpr std::size_t kMinTicks = 3, kMaxTicks = 9;
    for (std::size_t max_ticks = kMaxTicks;; --max_ticks) {
        std::vector<Tick> ticks = map.ticks(max_ticks);
        if (drop_crowded_labels(map, length, ticks) == 0 || max_ticks == kMinTicks) return ticks;
    }
}

bool all_equal(const Figure& figure, const std::string& (*label)(const Panel&)) {
    return std::all_of(figure.panels.begin(), figure.panels.end(), [&](const Panel& panel) {
        return label(panel) == label(figure.panels.front());
    });
}

PanelLayout scale_panel(const Panel& panel) {
    constexpr std::size_t kMaxTicks = 7;
    const AxisMap x = map_x(panel);
    PanelLayout layout{&panel, {}, x, map_y(panel, x), {}, {}, true, true, {}};
    layout.y_ticks = layout.y.ticks(kMaxTicks);
    return layout;
}

/// What all cells of the grid have in common, so that their plots line up.
struct Grid {
    std::size_t columns, rows;
    bool shared_x, shared_y;  // labels at the outer panels only
    double titles = 0, left = 0, right = kEdge, reference_width = 0;
    double plot_width = 0, plot_height = 0;

    Grid(const Figure& figure, const FigureLayout& layout);
    Box plot(std::size_t index, double top) const;
    double bottom(std::size_t row) const {
        return kTickLabel + (!shared_x || row + 1 == rows ? kAxisLabel : 0);
    }

  private:
    void measure_margins(const FigureLayout& layout);
    double width_of_plots(const FigureLayout& layout) const {
        const double inner = layout.width - (shared_y ? kAxisLabel : 0);
        return inner / static_cast<double>(columns) - left - right;
    }
    double overhang(const FigureLayout& layout) const;
};

Grid::Grid(const Figure& figure, const FigureLayout& layout)
    : columns(std::clamp<std::size_t>(figure.columns, 1, figure.panels.size())),
      rows((figure.panels.size() + columns - 1) / columns) {
    constexpr double kOneHigh = 340, kStackedHigh = 240, kAspect = 0.66;
    const bool full = columns * rows == figure.panels.size();
    shared_x = full && all_equal(
                           figure, [](const Panel& p) -> const auto& { return p.x.label; });
    shared_y = all_equal(
        figure, [](const Panel& p) -> const auto& { return p.y.label; });
    measure_margins(layout);
    plot_width = width_of_plots(layout);
    right = std::max(right, overhang(layout));
    plot_width = width_of_plots(layout);
    plot_height = columns > 1 ? kAspect * plot_width : rows > 1 ? kStackedHigh : kOneHigh;
}

void Grid::measure_margins(const FigureLayout& layout) {
    constexpr double kMaxShareOfCell = 0.34, kBeforeTicks = 8;
    const double max_width = kMaxShareOfCell * layout.width / static_cast<double>(columns);
    double tick_width = 0;
    for (const PanelLayout& cell : layout.panels) {
        tick_width = std::max(tick_width, widest_label(cell.y_ticks));
        if (!cell.panel->title.empty()) titles = kPanelTitle;
        for (const Reference& reference : cell.panel->references)
            for (const std::string& line : wrap(reference.name, max_width, kTickSize))
                reference_width = std::max(reference_width, text_width(line, kTickSize));
    }
    left = tick_width + kTickGap + kBeforeTicks + (shared_y ? 0 : kAxisLabel);
    if (reference_width > 0) right = kReferenceGap + reference_width + kEdge;
}

/// How far tick labels of the last column may reach beyond the right ends of their plots.
double Grid::overhang(const FigureLayout& layout) const {
    constexpr double kBeforeEdge = 2;
    double reach = 0;
    for (std::size_t i = columns - 1; i < layout.panels.size(); i += columns) {
        const AxisMap& x = layout.panels[i].x;
        for (const Tick& tick : ticks_along(x, plot_width)) {
            const double half = text_width(tick.label, kTickSize) / 2;
            const double beyond = (x.place(tick.value).value_or(0) - 1) * plot_width + half;
            reach = std::max(reach, beyond + kBeforeEdge);
        }
    }
    return reach;
}

Box Grid::plot(std::size_t index, double top) const {
    const auto column = static_cast<double>(index % columns);
    Box box{0, top + titles, plot_width, plot_height};
    box.left = (shared_y ? kAxisLabel : 0) + left + column * (left + plot_width + right);
    for (std::size_t row = 0; row < index / columns; ++row)
        box.top += titles + plot_height + bottom(row) + kPanelGap;
    return box;
}

std::vector<ReferenceLabel> place_references(const PanelLayout& layout, double width) {
    std::vector<ReferenceLabel> labels;
    for (const Reference& reference : layout.panel->references) {
        const auto y = layout.y.contains(reference.y) ? layout.place_y(reference.y) : std::nullopt;
        if (y) labels.push_back({&reference, wrap(reference.name, width, kTickSize), *y, *y});
    }
    std::stable_sort(labels.begin(), labels.end(),
                     [](const auto& a, const auto& b) { return a.line_y < b.line_y; });
    std::vector<double> middles, heights;
    for (const ReferenceLabel& label : labels) {
        middles.push_back(label.line_y);
        heights.push_back(kReferenceLine * static_cast<double>(label.lines.size()));
    }
    const double reach = kReferenceLine / 2;
    const auto moved =
        spread(middles, heights, layout.plot.top - reach, layout.plot.bottom() + reach);
    for (std::size_t i = 0; i < labels.size(); ++i) labels[i].middle = moved[i];
    return labels;
}

void place_panel(const Grid& grid, std::size_t index, double top, PanelLayout& layout) {
    layout.plot = grid.plot(index, top);
    layout.x_label = !grid.shared_x || index / grid.columns + 1 == grid.rows;
    layout.y_label = !grid.shared_y || index % grid.columns == 0;
    layout.x_ticks = ticks_along(layout.x, grid.plot_width);
    layout.references = place_references(layout, grid.reference_width);
}

}  // namespace

std::optional<double> PanelLayout::place_x(double value) const {
    const auto share = x.place(value);
    return share ? std::optional(plot.left + *share * plot.width) : std::nullopt;
}

std::optional<double> PanelLayout::place_y(double value) const {
    const auto share = y.place(value);
    return share ? std::optional(plot.bottom() - *share * plot.height) : std::nullopt;
}

double figure_width(const Figure& figure) {
    constexpr double kOneColumn = 720, kCell = 270;
    constexpr double kTwoColumns = 860;
    const auto columns = std::min(std::max<std::size_t>(1, figure.columns), figure.panels.size());
    if (columns <= 1) return kOneColumn;
    return std::max(kTwoColumns, kCell * static_cast<double>(columns));
}

FigureLayout lay_out(const Figure& figure) {
    FigureLayout layout;
    layout.width = figure_width(figure);
    double top = kEdge;
    if (!figure.title.empty()) {
        layout.title = wrap(figure.title, layout.width - 2 * kEdge, kTitleSize);
        top += kTitleLine * static_cast<double>(layout.title.size()) + kAfterTitle;
    }
    layout.legend = legend_of(figure);
    top = place_legend(top, layout.width - kEdge, layout.legend) + kPanelGap;
    layout.height = top;
    if (figure.panels.empty()) return layout;
    for (const Panel& panel : figure.panels) layout.panels.push_back(scale_panel(panel));
    const Grid grid(figure, layout);
    for (std::size_t i = 0; i < layout.panels.size(); ++i) {
        place_panel(grid, i, top, layout.panels[i]);
        layout.height = layout.panels[i].plot.bottom() + grid.bottom(i / grid.columns) + kEdge;
    }
    return layout;
}

}  // namespace bitbayes::report
