#include <gtest/gtest.h>

#include "base/temp_folder.hpp"
#include "bitbayes/types/error.hpp"
#include "report/document.hpp"
#include "report/figures.hpp"

namespace bitbayes::report::test {
namespace {

TEST(WriteReport, WritesThePageAndTheFigures) {
    const bitbayes::test::TempFolder folder;
    const Figure figure = figure_of({Series{"s", 0, {{1, 1, {}, {}}}, Mark::kLine, false}});
    const Document document{"Title", "", {{"Section", {figure}}}};
    write_report(document, folder / "new/report");
    EXPECT_EQ(bitbayes::test::slurp(folder / "new/report/report.html"), to_html(document));
    EXPECT_EQ(bitbayes::test::slurp(folder / "new/report/report.md"), to_markdown(document));
    EXPECT_EQ(bitbayes::test::slurp(folder / "new/report/fig.svg"), to_svg(figure));
    EXPECT_EQ(bitbayes::test::slurp(folder / "new/report/fig.csv"), to_csv(figure));
}

TEST(WriteReport, RefusesIdsThatAreNoFileNamesOrTwice) {
    const bitbayes::test::TempFolder folder;
    Figure figure = figure_of(std::vector<Panel>{});
    EXPECT_THROW(write_report({"", "", {{"", {figure, figure}}}}, folder / "r"), Error);
    figure.id = "../up";
    EXPECT_THROW(write_report({"", "", {{"", {figure}}}}, folder / "r"), Error);
    figure.id = "";
    EXPECT_THROW(write_report({"", "", {{"", {figure}}}}, folder / "r"), Error);
    EXPECT_EQ(folder.files(), 0);
}

TEST(WriteReport, NamesTheFolderThatCannotBeMade) {
    const bitbayes::test::TempFolder folder;
    bitbayes::test::spill(folder / "file", "x");
    try {
        write_report({}, folder / "file/report");
        FAIL() << "no error";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::kIo);
        EXPECT_NE(std::string(error.what()).find("file/report: cannot make the folder"),
                  std::string::npos);
    }
}

}  // namespace
}  // namespace bitbayes::report::test
