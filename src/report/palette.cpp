#include "report/palette.hpp"

#include <fmt/format.h>

namespace bitbayes::report {
namespace {

std::string properties(const Theme& theme) {
    std::string text = fmt::format("--bb-ground:{};--bb-ink:{};--bb-soft:{};--bb-grid:{}",
                                   theme.ground, theme.ink, theme.soft, theme.grid);
    for (std::size_t c = 0; c < theme.series.size(); ++c)
        text += fmt::format(";--bb-{}:{}", c, theme.series[c]);
    return text;
}

}  // namespace

std::string figure_style() {
    std::string style = fmt::format(
        ".bb-figure{{{};font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',"
        "Arial,sans-serif}}\n"
        "@media screen and (prefers-color-scheme:dark){{.bb-figure{{{}}}}}\n",
        properties(kLight), properties(kDark));
    style +=
        ".bb-ground{fill:var(--bb-ground)}\n"
        ".bb-figure text{fill:var(--bb-ink);stroke:none}\n"
        ".bb-figure .bb-soft{fill:var(--bb-soft)}\n"
        ".bb-grid{stroke:var(--bb-grid)}\n"
        ".bb-axis{stroke:var(--bb-soft)}\n"
        ".bb-ink{fill:var(--bb-ink);stroke:var(--bb-ink)}\n"
        ".bb-dot{stroke:var(--bb-ground)}\n";
    for (std::size_t c = 0; c < kLight.series.size(); ++c)
        style += fmt::format(".bb-c{0}{{fill:var(--bb-{0});stroke:var(--bb-{0})}}\n", c);
    return style;
}

}  // namespace bitbayes::report
