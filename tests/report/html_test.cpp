#include <gtest/gtest.h>

#include <map>

#include "report/document.hpp"
#include "report/figures.hpp"
#include "report/well_formed.hpp"

namespace bitbayes::report::test {
namespace {

using bitbayes::test::count;

Document document_of(std::vector<Block> blocks) {
    return {"Title", "Summary", {{"Section", std::move(blocks)}}};
}

TEST(Html, HoldsEachFigureOnceWithUniqueIds) {
    Figure first = figure_of({Series{"s", 0, {{1, 1, {}, {}}}, Mark::kLine, false}});
    Figure second = first;
    second.id = "other";
    const std::string html = to_html(document_of({first, second}));
    EXPECT_EQ(count(html, "<figure id=\"fig\">"), 1);
    EXPECT_EQ(count(html, "<figure id=\"other\">"), 1);
    EXPECT_EQ(count(html, "<svg"), 2);
    EXPECT_EQ(count(html, "<figcaption>A caption.</figcaption>"), 2);
    std::map<std::string, int> ids;
    for (const std::string& id : bitbayes::test::attribute_values(html, "id")) ++ids[id];
    EXPECT_GE(ids.size(), 5);
    for (const auto& [name, times] : ids) EXPECT_EQ(times, 1) << name;
}

TEST(Html, HostileTextStaysText) {
    Document document = document_of({Paragraph{kHostile}, Listing{kHostile}, hostile_figure(),
                                     Table{{kHostile}, {{Cell(kHostile, Tone::kBad)}}}});
    document.title = document.summary = document.sections[0].title = kHostile;
    const std::string html = to_html(document);
    EXPECT_EQ(html.find("<script"), html.npos);
    EXPECT_GT(count(html, "&lt;script&gt;"), 8);
    EXPECT_EQ(html.find('\xff'), html.npos);
    std::string body = html.substr(html.find("<body"));
    body = body.substr(0, body.rfind("</html>"));
    EXPECT_EQ(bitbayes::test::XmlChecker::fault(body), "");
}

TEST(Html, IsSelfContained) {
    const std::string html = to_html(document_of({Paragraph{"p"}}));
    EXPECT_TRUE(html.starts_with("<!DOCTYPE html>\n<html lang=\"en\">"));
    EXPECT_EQ(count(html, "name=\"viewport\""), 1);
    EXPECT_EQ(count(html, "default-src 'none'"), 1);
    EXPECT_EQ(count(html, "http:") + count(html, "https:") + count(html, "src="), 0);
    EXPECT_EQ(count(html, "<a href=\"#section-1\">Section</a>"), 1);
    EXPECT_EQ(count(html, "<h2 id=\"section-1\">Section</h2>"), 1);
}

TEST(Html, HeatTintsACell) {
    Cell warm("7");
    warm.heat = 0.25;
    const std::string html = to_html(document_of({Table{{"n"}, {{warm}, {"0"}}}}));
    EXPECT_EQ(count(html, "<td class=\"number\" style=\"--heat:0.250\">7</td>"), 1);
    EXPECT_EQ(count(html, "<td class=\"number\">0</td>"), 1);
}

TEST(Html, TablesAlignNumbersAndShowTones) {
    const std::string html = to_html(document_of(
        {Table{{"a", "b", "c"}, {{"MFB", "4.68 %", {"better", Tone::kGood}}, {"`PMFB`"}}}}));
    EXPECT_EQ(count(html,
                    "<td>MFB</td><td class=\"number\">4.68 %</td>"
                    "<td><span class=\"badge good\">better</span></td>"),
              1);
    EXPECT_EQ(count(html, "<td><code>PMFB</code></td><td class=\"number\"></td><td></td>"), 1);
    EXPECT_EQ(count(html, "<th scope=\"col\" class=\"number\">b</th>"), 1);
}

}  // namespace
}  // namespace bitbayes::report::test
