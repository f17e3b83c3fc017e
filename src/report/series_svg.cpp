#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/markup.hpp"
#include "report/palette.hpp"
#include "report/svg.hpp"

namespace bitbayes::report {
namespace {

constexpr double kTargetRadius = 6;

struct Spot {
    const Point* point;
    double x, y;
};

/// Runs of spots: a point without a place ends a run.
std::vector<std::vector<Spot>> runs_of(const Series& series, const PanelLayout& layout) {
    std::vector<std::vector<Spot>> runs;
    bool open = false;
    for (const Point& point : series.points) {
        const auto x = layout.place_x(point.x), y = layout.place_y(point.y);
        if (x && y) {
            if (!open) runs.emplace_back();
            runs.back().push_back({&point, *x, *y});
        }
        open = x && y;
    }
    return runs;
}

bool has_spot_at(const Series& series, const Spot& spot, const PanelLayout& layout) {
    return std::any_of(series.points.begin(), series.points.end(), [&](const Point& point) {
        const auto x = layout.place_x(point.x), y = layout.place_y(point.y);
        return x && y && std::hypot(*x - spot.x, *y - spot.y) < 1;
    });
}

/// How far a dot is shifted sideways so that dots of several series on one spot form a row.
double sidestep(const Series& series, const Spot& spot, const PanelLayout& layout) {
    if (series.mark != Mark::kDots) return 0;
    double index = 0, dots = 0;
    for (const Series& other : layout.panel->series) {
        if (other.mark != Mark::kDots || !has_spot_at(other, spot, layout)) continue;
        if (&other == &series) index = dots;
        ++dots;
    }
    return (index - (dots - 1) / 2) * (2 * kDotRadius + 1);
}

struct Slice {
    double x, low, high;
};

/// The band at a spot, in coordinates; nullopt without a band or where it has no place.
std::optional<Slice> slice_at(const Spot& spot, const PanelLayout& layout) {
    if (!spot.point->low && !spot.point->high) return std::nullopt;
    const auto low = layout.place_y(spot.point->low.value_or(spot.point->y));
    const auto high = layout.place_y(spot.point->high.value_or(spot.point->y));
    if (!low || !high) return std::nullopt;
    return Slice{spot.x, *low, *high};
}

std::string whisker(const Slice& slice) {
    return fmt::format(
        "<path class=\"bb-whisker\" d=\"M{0} {1}V{2}\" stroke-width=\"1.4\" "
        "stroke-opacity=\".55\"/>\n",
        coordinate(slice.x), coordinate(slice.low), coordinate(slice.high));
}

std::string area(const std::vector<Slice>& slices) {
    if (slices.empty()) return "";
    if (slices.size() == 1) return whisker(slices.front());
    std::string d;
    for (const Slice& slice : slices)
        d += fmt::format("{}{} {}", d.empty() ? "M" : "L", coordinate(slice.x),
                         coordinate(slice.high));
    for (auto slice = slices.rbegin(); slice != slices.rend(); ++slice)
        d += fmt::format("L{} {}", coordinate(slice->x), coordinate(slice->low));
    return fmt::format("<path class=\"bb-band\" d=\"{}Z\" stroke=\"none\" fill-opacity=\".16\"/>\n",
                       d);
}

std::string tooltip(const Series& series, const Point& point, const Panel& panel) {
    std::string text = fmt::format("{}\n{}: {}\n{}: {}", series.name, panel.x.label,
                                   format_value(point.x, panel.x.percent), panel.y.label,
                                   format_value(point.y, panel.y.percent));
    const auto ends = {point.low.value_or(NAN), point.high.value_or(NAN)};
    if (std::all_of(ends.begin(), ends.end(), is_drawable))
        text += fmt::format(" ({} to {})", format_value(*point.low, panel.y.percent),
                            format_value(*point.high, panel.y.percent));
    return escape_xml(text);
}

}  // namespace

std::string coordinate(double value) {
    return fmt::format("{}", std::round(value * 100) / 100 + 0.0);  // + 0.0: no minus zero
}

std::string colour_attributes(std::size_t colour) {
    const std::size_t c = palette_index(colour);
    return fmt::format("class=\"bb-c{0}\" fill=\"{1}\" stroke=\"{1}\"", c, kLight.series[c]);
}

std::string draw_bands(const Series& series, const PanelLayout& layout) {
    std::string out;
    for (const auto& run : runs_of(series, layout)) {
        std::vector<Slice> slices;
        for (const Spot& spot : run) {
            auto slice = slice_at(spot, layout);
            if (slice && series.mark == Mark::kDots) {
                slice->x += sidestep(series, spot, layout);
                out += whisker(*slice);
            } else if (slice) {
                slices.push_back(*slice);
            } else {
                out += area(slices);
                slices.clear();
            }
        }
        out += area(slices);
    }
    return out;
}

std::string draw_lines(const Series& series, const PanelLayout& layout) {
    std::string out;
    if (series.mark == Mark::kDots) return out;
    for (const auto& run : runs_of(series, layout)) {
        if (run.size() < 2) continue;
        std::string d;
        for (const Spot& spot : run)
            d += fmt::format("{}{} {}", d.empty() ? "M" : "L", coordinate(spot.x),
                             coordinate(spot.y));
        out += fmt::format(
            "<path class=\"bb-line\" d=\"{}\" fill=\"none\" stroke-width=\"1.8\" "
            "stroke-linejoin=\"round\" stroke-linecap=\"{}\"{}/>\n",
            d, series.dashed ? "butt" : "round", series.dashed ? " stroke-dasharray=\"6 4\"" : "");
    }
    return out;
}

std::string draw_dots(const Series& series, const PanelLayout& layout) {
    std::string out;
    for (const auto& run : runs_of(series, layout)) {
        const bool seen = series.mark != Mark::kLine || run.size() == 1;
        double last_x = -kTargetRadius;
        for (const Spot& spot : run) {
            if (!layout.x.contains(spot.point->x) || !layout.y.contains(spot.point->y)) continue;
            if (!seen && std::fabs(spot.x - last_x) < kTargetRadius) continue;
            last_x = spot.x;
            out += fmt::format(
                "<circle {} cx=\"{}\" cy=\"{}\" r=\"{}\"><title>{}</title></circle>\n",
                seen ? "class=\"bb-dot\" stroke=\"#ffffff\" stroke-width=\"1.3\""
                     : "class=\"bb-target\" fill-opacity=\"0\" stroke=\"none\"",
                coordinate(spot.x + sidestep(series, spot, layout)), coordinate(spot.y),
                seen ? kDotRadius : kTargetRadius, tooltip(series, *spot.point, *layout.panel));
        }
    }
    return out;
}

}  // namespace bitbayes::report
