#include <gtest/gtest.h>

#include "report/document.hpp"

namespace bitbayes::report {
namespace {

TEST(Markdown, OfASmallDocument) {
    Table table{{"what", "`a|b`", "verdict"},
                {{"x | y\nz", "4.68 %", {"better", Tone::kGood}}, {"`p|q`", "5"}}};
    Figure figure;
    figure.id = "mnist-error";
    figure.title = "Error [%]";
    figure.caption = "Median of *ten*, `--trials 10`.";
    const Document document{"Title <b>",
                            "Summary\nof it.",
                            {{"First & last",
                              {Paragraph{"# no heading_of_it, _x_"}, Paragraph{"1. no list"},
                               std::move(table), std::move(figure), Listing{"$ run\n```\nout"}}}}};
    EXPECT_EQ(to_markdown(document),
              "# Title \\<b\\>\n"
              "\n"
              "Summary of it.\n"
              "\n"
              "## First \\& last\n"
              "\n"
              "\\# no heading_of_it, \\_x\\_\n"
              "\n"
              "1\\. no list\n"
              "\n"
              "| what | `a\\|b` | verdict |\n"
              "| --- | ---: | --- |\n"
              "| x \\| y z | 4.68 % | better |\n"
              "| `p\\|q` | 5 |  |\n"
              "\n"
              "![Error \\[%\\]](mnist-error.svg)\n"
              "\n"
              "*Median of \\*ten\\*, `--trials 10`.*\n"
              "\n"
              "````\n"
              "$ run\n"
              "```\n"
              "out\n"
              "````\n");
}

}  // namespace
}  // namespace bitbayes::report
