#include <gtest/gtest.h>

#include <random>

#include "report/figures.hpp"
#include "report/well_formed.hpp"

namespace bitbayes::report::test {
namespace {

using bitbayes::test::count;
using bitbayes::test::XmlChecker;

void expect_clean(const std::string& svg) {
    EXPECT_EQ(XmlChecker::fault(svg), "");
    EXPECT_EQ(svg.find("nan"), svg.npos);
    EXPECT_EQ(svg.find("inf"), svg.npos);
}

/// The value of `name` in the `index`-th element that carries `mark`.
std::string attribute(const std::string& svg, const std::string& mark, const std::string& name,
                      std::size_t index = 0) {
    std::size_t at = svg.find(mark);
    for (; index > 0 && at != svg.npos; --index) at = svg.find(mark, at + 1);
    if (at == svg.npos) return "";
    const std::size_t begin = svg.rfind('<', at), end = svg.find('>', at);
    const auto values = bitbayes::test::attribute_values(svg.substr(begin, end - begin), name);
    return values.empty() ? "" : values.front();
}

TEST(Checker, SeesFaults) {
    EXPECT_EQ(XmlChecker::fault("<a b=\"c\"><d/>&amp;</a>\n"), "");
    for (const char* bad :
         {"", "<a>", "<a></b>", "<a b=\"<\"/>", "<a>&</a>", "<a b=\"1\" b=\"2\"/>", "<a/><a/>",
          "<a>\x01</a>", "<a>\xff</a>", "<a b=c/>", "x<a/>"})
        EXPECT_NE(XmlChecker::fault(bad), "") << bad;
}

TEST(Svg, HostileTextAndNumbersGiveWellFormedXml) {
    const std::string svg = to_svg(hostile_figure());
    expect_clean(svg);
    EXPECT_EQ(svg.find("<script"), svg.npos);
}

TEST(Svg, OddNumbersNeverReachTheDrawing) {
    const std::vector<double> odd = {kNan,   kInf,   -kInf, 0, -0.0, 1e308,
                                     -1e308, 5e-324, 1,     2, 0.5,  -3};
    std::mt19937 random(5);
    const auto pick = [&] { return odd[random() % odd.size()]; };
    for (int trial = 0; trial < 2000; ++trial) {
        Series series{"s", random() % 9, {}, static_cast<Mark>(random() % 3), random() % 2 == 0};
        for (auto n = random() % 6; n > 0; --n)
            series.points.push_back({pick(), pick(), pick(), pick()});
        Figure figure = figure_of({series}, random() % 2 == 0 ? Scale::kLog : Scale::kLinear);
        Panel& panel = figure.panels[0];
        if (random() % 2 == 0) panel.x.scale = Scale::kLog;
        if (random() % 4 == 0) panel.y.high = pick();
        panel.y.percent = random() % 2 == 0;
        panel.references = {{"r", pick(), {}}};
        expect_clean(to_svg(figure));
        if (HasFailure()) return;
    }
}

TEST(Svg, EmptyFiguresAreDrawnToo) {
    expect_clean(to_svg({}));
    expect_clean(to_svg(figure_of(std::vector<Panel>{})));
    expect_clean(to_svg(figure_of(std::vector<Series>{})));
    expect_clean(to_svg(figure_of({Series{"none", 0, {}, Mark::kLine, false}})));
}

TEST(Svg, MarksDecideLinesAndDots) {
    const std::vector<Point> points = {{1, 1, {}, {}}, {2, 3, {}, {}}, {3, 2, {}, {}}};
    const std::string line = to_svg(figure_of({Series{"a", 0, points, Mark::kLine, true}}));
    EXPECT_EQ(count(line, "bb-line"), 1);
    EXPECT_EQ(count(line, "class=\"bb-dot\""), 0);
    EXPECT_EQ(count(line, "class=\"bb-target\""), 3);
    EXPECT_EQ(count(line, "<title>a\nx: 2\ny: 3</title>"), 1);
    EXPECT_EQ(attribute(line, "bb-line", "stroke-dasharray"), "6 4");
    const std::string both = to_svg(figure_of({Series{"a", 0, points, Mark::kLineAndDots, false}}));
    EXPECT_EQ(count(both, "bb-line"), 1);
    EXPECT_EQ(count(both, "class=\"bb-dot\""), 3 + 1);  // and one in the legend
    EXPECT_EQ(attribute(both, "bb-line", "stroke-dasharray"), "");
    const std::string dots = to_svg(figure_of({Series{"", 0, points, Mark::kDots, false}}));
    EXPECT_EQ(count(dots, "bb-line"), 0);
    EXPECT_EQ(count(dots, "class=\"bb-dot\""), 3);
}

TEST(Svg, NanMakesAGapAndALonePointADot) {
    const Series series{"",
                        0,
                        {{1, 1, {}, {}},
                         {2, 2, {}, {}},
                         {3, kNan, {}, {}},
                         {4, 1, {}, {}},
                         {5, 2, {}, {}},
                         {6, kInf, {}, {}},
                         {7, 1, {}, {}}},
                        Mark::kLine,
                        false};
    const std::string svg = to_svg(figure_of({series}));
    EXPECT_EQ(count(svg, "bb-line"), 2);
    EXPECT_EQ(count(svg, "class=\"bb-dot\""), 1);
    EXPECT_EQ(count(to_svg(figure_of({Series{"", 0, {{1, 1, {}, {}}}, Mark::kLine, false}})),
                    "class=\"bb-dot\""),
              1);
}

TEST(Svg, BandsAreAreasBrokenWhereThereIsNone) {
    const Series series{"",
                        0,
                        {{1, 2, 1, 3},
                         {2, 2, 1, 3},
                         {3, 2, {}, {}},
                         {4, 2, 1, 3},
                         {5, 2, 1, kNan},
                         {6, 2, 1, 3},
                         {7, 2, 1, 3}},
                        Mark::kLine,
                        false};
    const std::string svg = to_svg(figure_of({series}));
    EXPECT_EQ(count(svg, "bb-band"), 2);
    EXPECT_EQ(count(svg, "bb-whisker"), 1);
    EXPECT_EQ(count(svg, "bb-line"), 1);
    Series dots = series;
    dots.mark = Mark::kDots;
    EXPECT_EQ(count(to_svg(figure_of({dots})), "bb-whisker"), 5);
}

TEST(Svg, ZeroOnALogAxisHasALineOfItsOwn) {
    const Series series{
        "", 0, {{1, 0, {}, {}}, {2, 0.01, {}, {}}, {3, 1, {}, {}}}, Mark::kDots, false};
    const std::string svg = to_svg(figure_of({series}, Scale::kLog));
    EXPECT_EQ(count(svg, "bb-zero"), 1);
    EXPECT_EQ(count(svg, ">0</text>"), 2);  // of both axes
    EXPECT_GT(std::stod(attribute(svg, "class=\"bb-dot\"", "cy", 0)),
              std::stod(attribute(svg, "class=\"bb-dot\"", "cy", 1)) + 10);
    EXPECT_EQ(count(to_svg(figure_of({series})), "bb-zero"), 0);
}

TEST(Svg, DotsOnOneSpotStandInARow) {
    const Series one{"", 0, {{1, 0, {}, {}}, {2, 1, {}, {}}}, Mark::kDots, false};
    const std::string svg = to_svg(figure_of({one, one}, Scale::kLog));
    EXPECT_GE(std::stod(attribute(svg, "class=\"bb-dot\"", "cx", 2)),
              std::stod(attribute(svg, "class=\"bb-dot\"", "cx", 0)) + 7);
}

TEST(Svg, ValuesBeyondFixedEndsAreCutOff) {
    const Series series{
        "", 0, {{1, 0.5, {}, {}}, {2, 9, {}, {}}, {3, 0.5, {}, {}}}, Mark::kLineAndDots, false};
    Figure figure = figure_of({series});
    figure.panels[0].y.low = 0;
    figure.panels[0].y.high = 1;
    figure.panels[0].references = {{"far", 5, {}}, {"near", 0.9, {}}};
    const std::string svg = to_svg(figure);
    EXPECT_EQ(count(svg, "class=\"bb-dot\""), 2);
    EXPECT_EQ(count(svg, "bb-reference"), 1);
    EXPECT_EQ(count(svg, "<clipPath id=\"fig-clip-0\">"), 1);
    EXPECT_EQ(count(svg, "clip-path=\"url(#fig-clip-0)\""), 1);
}

TEST(Svg, OneLegendServesAllPanels) {
    const Series a{"first", 0, {{1, 1, {}, {}}}, Mark::kLine, false};
    const Series b{"second", 1, {{1, 1, {}, {}}}, Mark::kLine, false};
    const std::string svg = to_svg(figure_of(std::vector<Panel>(4, panel_of({a, b})), 2));
    EXPECT_EQ(count(svg, "bb-legend"), 2);
    EXPECT_EQ(count(svg, ">first</text>"), 1);
    EXPECT_EQ(count(svg, "bb-panel"), 4);
    EXPECT_EQ(count(svg, ">x</text>"), 2);  // at the outer panels
    EXPECT_EQ(count(svg, ">y</text>"), 2);
}

TEST(Svg, SaysWhatItIs) {
    const std::string svg =
        to_svg(figure_of({Series{"", 0, {{1, 1, {}, {}}}, Mark::kLine, false}}));
    EXPECT_EQ(attribute(svg, "xmlns", "role"), "img");
    EXPECT_EQ(attribute(svg, "xmlns", "aria-label"), "A figure");
    EXPECT_EQ(count(svg, "prefers-color-scheme:dark"), 1);
    EXPECT_EQ(count(svg, "http"), 1);  // the name space
}

}  // namespace
}  // namespace bitbayes::report::test
