#include <fmt/format.h>

#include <algorithm>

#include "report/markup.hpp"
#include "report/palette.hpp"
#include "report/svg.hpp"

namespace bitbayes::report {
namespace {

std::string draw_legend_entry(const LegendEntry& entry) {
    const Series& series = *entry.series;
    const double left = entry.left, right = left + kSwatchWidth, y = entry.middle;
    std::string out =
        fmt::format("<g class=\"bb-legend\">\n<g {}>\n", colour_attributes(series.colour));
    if (entry.band && series.mark != Mark::kDots)
        out += fmt::format(
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"12\" stroke=\"none\" "
            "fill-opacity=\".16\"/>\n",
            coordinate(left), coordinate(y - 6), kSwatchWidth);
    if (series.mark != Mark::kDots)
        out += fmt::format("<path d=\"M{} {}H{}\" fill=\"none\" stroke-width=\"2\"{}/>\n",
                           coordinate(left), coordinate(y), coordinate(right),
                           series.dashed ? " stroke-dasharray=\"6 4\"" : "");
    if (series.mark != Mark::kLine)
        out += fmt::format(
            "<circle class=\"bb-dot\" cx=\"{}\" cy=\"{}\" r=\"{}\" stroke=\"{}\" "
            "stroke-width=\"1.3\"/>\n",
            coordinate((left + right) / 2), coordinate(y), kDotRadius, kLight.ground);
    return out + fmt::format("</g>\n<text x=\"{}\" y=\"{}\" font-size=\"{}\">{}</text>\n</g>\n",
                             coordinate(right + 6), coordinate(y + 4), kLabelSize,
                             escape_xml(series.name));
}

}  // namespace

std::string to_svg(const Figure& figure) {
    const FigureLayout layout = lay_out(figure);
    const std::string width = coordinate(layout.width), height = coordinate(layout.height);
    std::string out = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"bb-figure\" role=\"img\" "
        "aria-label=\"{0}\" viewBox=\"0 0 {1} {2}\" width=\"{1}\" height=\"{2}\" "
        "style=\"max-width:100%;height:auto\" font-family=\"sans-serif\">\n"
        "<style>\n{3}</style>\n"
        "<rect class=\"bb-ground\" width=\"{1}\" height=\"{2}\" rx=\"4\" fill=\"{4}\"/>\n",
        escape_xml(figure.title), width, height, figure_style(), kLight.ground);
    double y = kEdge + kTitleSize;
    for (const std::string& line : layout.title) {
        out +=
            fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"{}\" font-weight=\"600\">{}</text>\n",
                        kEdge, coordinate(y), kTitleSize, escape_xml(line));
        y += kTitleLine;
    }
    for (const LegendEntry& entry : layout.legend) out += draw_legend_entry(entry);
    const std::string anchor = to_anchor(figure.id);
    for (std::size_t i = 0; i < layout.panels.size(); ++i)
        out += draw_panel(layout.panels[i], fmt::format("{}-clip-{}", anchor, i));
    return out + "</svg>\n";
}

}  // namespace bitbayes::report
