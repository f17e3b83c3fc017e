// Small figures for tests.
#pragma once

#include <limits>

#include "report/figure.hpp"

namespace bitbayes::report::test {

inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInf = std::numeric_limits<double>::infinity();

inline Panel panel_of(std::vector<Series> series, Scale y = Scale::kLinear) {
    return {
        "", {"x", Scale::kLinear, {}, {}, false}, {"y", y, {}, {}, false}, std::move(series), {}};
}

inline Figure figure_of(std::vector<Panel> panels, std::size_t columns = 1) {
    return {"fig", "A figure", "A caption.", std::move(panels), columns};
}

inline Figure figure_of(std::vector<Series> series, Scale y = Scale::kLinear) {
    return figure_of(std::vector<Panel>{panel_of(std::move(series), y)});
}

/// Markup, quotes, control characters and broken UTF-8.
inline const std::string kHostile =
    "<script>alert(\"1\")</script> & ]]> 'q' `c` \x01 \xff\xfe \xe2\x82 \xed\xa0\x80 |\n--> é";

inline Figure hostile_figure() {
    Figure figure =
        figure_of({Series{kHostile,
                          99,
                          {{1, 2, 1, 3}, {kNan, 1, {}, {}}, {2, kInf, {}, {}}, {3, 1, -kInf, kNan}},
                          Mark::kLineAndDots,
                          true}},
                  Scale::kLog);
    figure.id = kHostile;
    figure.title = figure.caption = figure.panels[0].title = kHostile;
    figure.panels[0].x.label = figure.panels[0].y.label = kHostile;
    figure.panels[0].references = {{kHostile, 2, 77}, {kHostile, kNan, {}}, {kHostile, -1, {}}};
    return figure;
}

}  // namespace bitbayes::report::test
