#include <fmt/format.h>

#include <cmath>
#include <string_view>

#include "report/figure.hpp"

namespace bitbayes::report {
namespace {

/// RFC 4180.
std::string cell(std::string_view text) {
    if (text.find_first_of(",\"\r\n") == text.npos) return std::string(text);
    std::string quoted = "\"";
    for (const char c : text) {
        if (c == '"') quoted += '"';
        quoted += c;
    }
    return quoted + '"';
}

std::string cell(std::optional<double> value) {
    return value && std::isfinite(*value) ? fmt::format("{}", *value) : "";
}

}  // namespace

std::string to_csv(const Figure& figure) {
    std::string out = "panel,series,x,y,low,high\n";
    for (std::size_t i = 0; i < figure.panels.size(); ++i) {
        const Panel& panel = figure.panels[i];
        const std::string name = panel.title.empty() ? fmt::format("{}", i + 1) : cell(panel.title);
        for (const Series& series : panel.series)
            for (const Point& point : series.points)
                out += fmt::format("{},{},{},{},{},{}\n", name, cell(series.name), cell(point.x),
                                   cell(point.y), cell(point.low), cell(point.high));
        for (const Reference& reference : panel.references)
            out += fmt::format("{},{},,{},,\n", name, cell(reference.name), cell(reference.y));
    }
    return out;
}

}  // namespace bitbayes::report
