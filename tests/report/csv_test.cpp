#include <gtest/gtest.h>

#include "report/figures.hpp"

namespace bitbayes::report::test {
namespace {

TEST(Csv, HoldsAllNumbersAsTheyAre) {
    Figure figure =
        figure_of({Series{"MFB", 0, {{3, 0.1, 0.05, 0.3}, {5, kNan, {}, {}}}, Mark::kLine, false},
                   Series{"a, \"b\"\nc", 1, {{1e-7, 1.0 / 3, kInf, {}}}, Mark::kDots, true}});
    figure.panels.push_back(
        panel_of({Series{"MFB", 0, {{200000, 0, {}, {}}}, Mark::kLine, false}}));
    figure.panels[1].title = "zoomed";
    figure.panels[1].references = {{"paper", 0.0468, {}}};
    EXPECT_EQ(to_csv(figure),
              "panel,series,x,y,low,high\n"
              "1,MFB,3,0.1,0.05,0.3\n"
              "1,MFB,5,,,\n"
              "1,\"a, \"\"b\"\"\nc\",1e-07,0.3333333333333333,,\n"
              "zoomed,MFB,200000,0,,\n"
              "zoomed,paper,,0.0468,,\n");
}

}  // namespace
}  // namespace bitbayes::report::test
