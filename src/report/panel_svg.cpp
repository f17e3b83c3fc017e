#include <fmt/format.h>

#include <algorithm>

#include "report/markup.hpp"
#include "report/palette.hpp"
#include "report/svg.hpp"
#include "report/text_size.hpp"

namespace bitbayes::report {
namespace {

constexpr double kMajorMark = 5, kMinorMark = 3;

std::string line(double x1, double y1, double x2, double y2) {
    return fmt::format("<path d=\"M{} {}L{} {}\"/>\n", coordinate(x1), coordinate(y1),
                       coordinate(x2), coordinate(y2));
}

std::string draw_grid(const PanelLayout& layout) {
    const Box& plot = layout.plot;
    std::string out =
        fmt::format("<g class=\"bb-grid\" stroke=\"{}\" fill=\"none\">\n", kLight.grid);
    for (const Tick& tick : layout.x_ticks) {
        const auto x = layout.place_x(tick.value);
        if (tick.major && x) out += line(*x, plot.top, *x, plot.bottom());
    }
    for (const Tick& tick : layout.y_ticks) {
        const auto y = layout.place_y(tick.value);
        if (tick.major && y) out += line(plot.left, *y, plot.right(), *y);
    }
    return out + "</g>\n";
}

std::string draw_zero_lines(const PanelLayout& layout) {
    const Box& plot = layout.plot;
    std::string lines;
    if (layout.y.has_zero_line()) {
        const double y = layout.place_y(0).value();
        lines += line(plot.left, y, plot.right(), y);
    }
    if (layout.x.has_zero_line()) {
        const double x = layout.place_x(0).value();
        lines += line(x, plot.top, x, plot.bottom());
    }
    if (lines.empty()) return lines;
    return fmt::format(
        "<g class=\"bb-axis bb-zero\" stroke=\"{}\" stroke-dasharray=\"1 3\">\n{}</g>\n",
        kLight.soft, lines);
}

/// Axis lines; between a zero line and the decades of a log axis they are broken.
std::string draw_axis_lines(const PanelLayout& layout) {
    const Box& plot = layout.plot;
    std::string out;
    if (layout.y.has_zero_line()) {
        const double zero = layout.place_y(0).value(),
                     start = layout.place_y(layout.y.low()).value();
        out += line(plot.left, plot.bottom(), plot.left, (3 * zero + start) / 4);
        out += line(plot.left, (zero + 3 * start) / 4, plot.left, plot.top);
    } else {
        out += line(plot.left, plot.bottom(), plot.left, plot.top);
    }
    if (layout.x.has_zero_line()) {
        const double zero = layout.place_x(0).value(),
                     start = layout.place_x(layout.x.low()).value();
        out += line(plot.left, plot.bottom(), (3 * zero + start) / 4, plot.bottom());
        out += line((zero + 3 * start) / 4, plot.bottom(), plot.right(), plot.bottom());
    } else {
        out += line(plot.left, plot.bottom(), plot.right(), plot.bottom());
    }
    return out;
}

std::string draw_axes(const PanelLayout& layout) {
    const Box& plot = layout.plot;
    std::string marks = draw_axis_lines(layout), labels;
    for (const Tick& tick : layout.x_ticks) {
        const double x = layout.place_x(tick.value).value();
        marks += line(x, plot.bottom(), x, plot.bottom() + (tick.major ? kMajorMark : kMinorMark));
        if (!tick.label.empty())
            labels += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n",
                                  coordinate(x), coordinate(plot.bottom() + 17), tick.label);
    }
    for (const Tick& tick : layout.y_ticks) {
        const double y = layout.place_y(tick.value).value();
        marks += line(plot.left - (tick.major ? kMajorMark : kMinorMark), y, plot.left, y);
        if (!tick.label.empty())
            labels += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>\n",
                                  coordinate(plot.left - 8), coordinate(y + 4), tick.label);
    }
    return fmt::format(
        "<g class=\"bb-axis\" stroke=\"{0}\" fill=\"none\">\n{1}</g>\n"
        "<g class=\"bb-ticks\" font-size=\"{2}\">\n{3}</g>\n",
        kLight.soft, marks, kTickSize, labels);
}

std::string draw_words(const PanelLayout& layout) {
    const Box& plot = layout.plot;
    const Panel& panel = *layout.panel;
    std::string out;
    if (!panel.title.empty())
        out +=
            fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"{}\" font-weight=\"600\">{}</text>\n",
                        coordinate(plot.left), coordinate(plot.top - 8), kPanelTitleSize,
                        escape_xml(panel.title));
    if (layout.x_label && !panel.x.label.empty())
        out += fmt::format(
            "<text x=\"{}\" y=\"{}\" font-size=\"{}\" text-anchor=\"middle\">{}</text>\n",
            coordinate(plot.left + plot.width / 2), coordinate(plot.bottom() + 36), kLabelSize,
            escape_xml(panel.x.label));
    if (layout.y_label && !panel.y.label.empty()) {
        double widest = 0;
        for (const Tick& tick : layout.y_ticks)
            widest = std::max(widest, text_width(tick.label, kTickSize));
        out += fmt::format(
            "<text transform=\"translate({} {})rotate(-90)\" font-size=\"{}\" "
            "text-anchor=\"middle\">{}</text>\n",
            coordinate(plot.left - widest - 18), coordinate(plot.top + plot.height / 2), kLabelSize,
            escape_xml(panel.y.label));
    }
    return out;
}

std::string draw_reference(const ReferenceLabel& label, const Box& plot) {
    constexpr double kLeader = 8;
    const std::string attributes =
        label.reference->colour
            ? colour_attributes(*label.reference->colour)
            : fmt::format("class=\"bb-ink\" fill=\"{0}\" stroke=\"{0}\"", kLight.ink);
    std::string out = fmt::format(
        "<g {}>\n<path class=\"bb-reference\" d=\"M{} {}H{}L{} {}\" fill=\"none\" "
        "stroke-width=\"1\" stroke-opacity=\".8\" stroke-dasharray=\"2 2\"/>\n",
        attributes, coordinate(plot.left), coordinate(label.line_y), coordinate(plot.right()),
        coordinate(plot.right() + kLeader), coordinate(label.middle));
    double y = label.middle + 4 - kReferenceLine / 2 * static_cast<double>(label.lines.size() - 1);
    for (const std::string& words : label.lines) {
        out += fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"{}\">{}</text>\n",
                           coordinate(plot.right() + kLeader + 3), coordinate(y), kTickSize,
                           escape_xml(words));
        y += kReferenceLine;
    }
    return out + "</g>\n";
}

std::string draw_all(const PanelLayout& layout,
                     std::string (*draw)(const Series&, const PanelLayout&)) {
    std::string out;
    for (const Series& series : layout.panel->series) {
        const std::string drawn = draw(series, layout);
        if (!drawn.empty())
            out += fmt::format("<g {}>\n{}</g>\n", colour_attributes(series.colour), drawn);
    }
    return out;
}

}  // namespace

std::string draw_panel(const PanelLayout& layout, std::string_view clip) {
    constexpr double kSpill = 1;  // half a line at the very edge
    const Box& plot = layout.plot;
    std::string out = fmt::format(
        "<g class=\"bb-panel\">\n<clipPath id=\"{}\"><rect x=\"{}\" y=\"{}\" width=\"{}\" "
        "height=\"{}\"/></clipPath>\n",
        clip, coordinate(plot.left - kSpill), coordinate(plot.top - kSpill),
        coordinate(plot.width + 2 * kSpill), coordinate(plot.height + 2 * kSpill));
    out += draw_grid(layout) + draw_zero_lines(layout) + draw_axes(layout) + draw_words(layout);
    for (const ReferenceLabel& label : layout.references) out += draw_reference(label, plot);
    out += fmt::format("<g clip-path=\"url(#{})\">\n{}{}</g>\n", clip, draw_all(layout, draw_bands),
                       draw_all(layout, draw_lines));
    return out + draw_all(layout, draw_dots) + "</g>\n";
}

}  // namespace bitbayes::report
