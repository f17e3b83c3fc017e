#include "report/layout.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "report/figures.hpp"
#include "report/text_size.hpp"

namespace bitbayes::report {
namespace {

TEST(Spread, LeavesWhatHasRoom) {
    const std::vector<double> middles = {10, 40}, heights = {12, 12};
    EXPECT_EQ(spread(middles, heights, 0, 100), middles);
}

TEST(Spread, MovesNeighboursApartEvenly) {
    const std::vector<double> middles = {50, 50}, heights = {12, 12};
    EXPECT_EQ(spread(middles, heights, 0, 100), (std::vector<double>{44, 56}));
}

TEST(Spread, NeverOverlapsAndStaysInside) {
    std::mt19937 random(4);
    std::uniform_real_distribution<double> middle(0, 200), height(5, 30);
    for (int trial = 0; trial < 2000; ++trial) {
        std::vector<double> middles(1 + random() % 6), heights(middles.size());
        for (double& m : middles) m = middle(random);
        for (double& h : heights) h = height(random);
        std::sort(middles.begin(), middles.end());
        const auto moved = spread(middles, heights, 0, 200);
        ASSERT_EQ(moved.size(), middles.size());
        double end = 0;
        for (std::size_t i = 0; i < moved.size(); ++i) {
            ASSERT_GE(moved[i] - heights[i] / 2, end - 1e-9);
            end = moved[i] + heights[i] / 2;
        }
        ASSERT_LE(end, 200 + 1e-9);
    }
}

TEST(Layout, NamesOfCloseReferencesDoNotOverlap) {
    Figure figure = test::figure_of({Series{"", 0, {{1, 0.1, {}, {}}}, Mark::kLine, false}});
    figure.panels[0].references = {{"b", 0.0468, {}}, {"a", 0.047, {}}, {"c", 0.0426, {}}};
    const auto layout = lay_out(figure);
    const auto& labels = layout.panels[0].references;
    ASSERT_EQ(labels.size(), 3);
    for (std::size_t i = 1; i < labels.size(); ++i)
        EXPECT_GE(labels[i].middle - labels[i - 1].middle, kReferenceLine - 1e-9);
    EXPECT_EQ(labels[0].reference->name, "a");
}

TEST(Layout, PlotsOfAGridLineUpInsideTheFigure) {
    const Series series{"s", 0, {{1, 1, {}, {}}, {200000, 2, {}, {}}}, Mark::kLine, false};
    const auto figure = test::figure_of(std::vector<Panel>(8, test::panel_of({series})), 4);
    const auto layout = lay_out(figure);
    ASSERT_EQ(layout.panels.size(), 8);
    for (std::size_t i = 0; i < 8; ++i) {
        const Box& plot = layout.panels[i].plot;
        EXPECT_GT(plot.width, 100);
        EXPECT_LE(plot.right(), layout.width);
        EXPECT_LE(plot.bottom(), layout.height);
        EXPECT_EQ(plot.left, layout.panels[i % 4].plot.left);
        EXPECT_EQ(plot.top, layout.panels[i / 4 * 4].plot.top);
    }
}

TEST(Layout, LastLabelOfAnAxisStaysInsideTheFigure) {
    const Series series{
        "s", 0, {{1000000000, 1, {}, {}}, {2000000000, 2, {}, {}}}, Mark::kDots, false};
    Panel panel = test::panel_of({series});
    panel.x.whole = true;
    const auto figure = test::figure_of(std::vector<Panel>(2, panel), 2);
    const auto layout = lay_out(figure);
    const auto& last = layout.panels[1];
    ASSERT_EQ(last.x_ticks.back().label, "2000000000");
    const double middle = *last.place_x(last.x_ticks.back().value);
    EXPECT_LE(middle + text_width("2000000000", kTickSize) / 2, layout.width);
}

TEST(Layout, LegendStaysInsideTheFigure) {
    std::vector<Series> many;
    for (const char* name :
         {"one", "two of them", "three of them", "a much longer name than the others",
          "another name that is long", "six", "seven", "the last one of all"})
        many.push_back({name, many.size(), {{1, 1, {}, {}}}, Mark::kLine, false});
    const auto figure = test::figure_of(many);
    const auto layout = lay_out(figure);
    ASSERT_EQ(layout.legend.size(), many.size());
    for (const LegendEntry& entry : layout.legend) {
        EXPECT_LE(entry.left + kSwatchWidth + text_width(entry.series->name, kLabelSize),
                  layout.width);
        EXPECT_LT(entry.middle, layout.panels[0].plot.top);
    }
}

TEST(Wrap, BreaksAtBlanksOnly) {
    EXPECT_EQ(wrap("", 100, 10), std::vector<std::string>{""});
    EXPECT_EQ(wrap("aaaa bbbb cccc", 60, 10), (std::vector<std::string>{"aaaa bbbb", "cccc"}));
    EXPECT_EQ(wrap("aaaaaaaaaaaaaaaaaaaa", 10, 10).size(), 1);
}

}  // namespace
}  // namespace bitbayes::report
