#include "data/csv.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "files.hpp"

namespace bitbayes::data {
namespace {

using test::dense_values;
using test::expect_error;
using test::holds;
using test::label_names;
using test::Names;
using test::Numbers;

ReadOptions label_is(const std::string& label) {
    ReadOptions options;
    options.label = label;
    return options;
}

Dataset read(std::string_view bytes, const ReadOptions& options = {}) {
    return read_csv(bytes, "t.csv", options);
}

TEST(Csv, ReadsNumbersAndLabels) {
    const Dataset data = read("1,2,0\n3,4,1\n5,6,0");
    EXPECT_EQ(data.name, "t.csv");
    EXPECT_EQ(data.kind, DataKind::kTable);
    EXPECT_EQ(data.rows, 3u);
    EXPECT_EQ(data.features, 2u);
    EXPECT_EQ(dense_values(data), (Numbers{1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(data.class_names, (Names{"0", "1"}));
    EXPECT_EQ(label_names(data), (Names{"0", "1", "0"}));
    EXPECT_TRUE(data.notes.empty());
}

TEST(Csv, KeepsTheSmallestExactType) {
    EXPECT_TRUE(holds<std::uint8_t>(read("0,a\n255,a")));
    EXPECT_TRUE(holds<float>(read("0,a\n256,a")));
    EXPECT_TRUE(holds<float>(read("0,a\n-1,a")));
    EXPECT_TRUE(holds<float>(read("0,a\n0.5,a\n,a")));
    EXPECT_TRUE(holds<double>(read("0,a\n0.1,a")));
    EXPECT_TRUE(holds<double>(read("0,a\n0.5,a\n1e300,a")));
    EXPECT_EQ(dense_values(read("7,a\n-2,a\n0.1,a\n8,a")), (Numbers{7, -2, 0.1, 8}));
}

TEST(Csv, TakesTheDelimiterFromTheFirstLine) {
    for (const char* text : {"1,2,x\n3,4,y", "1;2;x\n3;4;y", "1\t2\tx\n3\t4\ty",
                             "\"a,b\";\"c,d\";\"e,f\"\n1;2;x\n3;4;y"}) {
        const Dataset data = read(text);
        EXPECT_EQ(dense_values(data), (Numbers{1, 2, 3, 4})) << text;
        EXPECT_EQ(data.class_names, (Names{"x", "y"})) << text;
    }
}

TEST(Csv, TakesQuotesLineEndsAndBlanks) {
    const Dataset data = read(
        "\xef\xbb\xbf"
        "1 , \"2\" ,\"say \"\"hi\"\"\"\r\n\r\n3, +4,\"two\nlines, one cell\"\r\n");
    EXPECT_EQ(dense_values(data), (Numbers{1, 2, 3, 4}));
    EXPECT_EQ(label_names(data), (Names{"say \"hi\"", "two\nlines, one cell"}));
}

TEST(Csv, KnowsHeaders) {
    EXPECT_EQ(read("a,b,c\n1,2,0").rows, 1u);
    EXPECT_EQ(read("1,2,word\n3,4,other").rows, 2u) << "the label alone makes no header";
    EXPECT_EQ(read("?,NA,0\n1,2,0").rows, 2u);
    EXPECT_TRUE(read("a,b,c\n1,2,0").notes.empty());
    const Dataset doubtful = read("1,b,c\n1,2,0");
    EXPECT_EQ(doubtful.rows, 1u);
    ASSERT_EQ(doubtful.notes.size(), 1u);
    EXPECT_EQ(doubtful.notes[0],
              "t.csv:1: taken as a header: \"b\" is not a number; `header` no makes it a row");
}

TEST(Csv, ChoosesTheLabelColumn) {
    const std::string text = "id,kind,size\n1,2,3\n4,5,6";
    EXPECT_EQ(label_names(read(text)), (Names{"3", "6"}));
    EXPECT_EQ(label_names(read(text, label_is("first"))), (Names{"1", "4"}));
    EXPECT_EQ(label_names(read(text, label_is("1"))), (Names{"2", "5"}));
    EXPECT_EQ(label_names(read(text, label_is("kind"))), (Names{"2", "5"}));
    EXPECT_EQ(dense_values(read(text, label_is("kind"))), (Numbers{1, 3, 4, 6}));
    EXPECT_EQ(read("1,2,3\n4,5,6", label_is("0")).rows, 2u);
    expect_error(ErrorCode::kUsage, "no column 3", [&] { read(text, label_is("3")); });
    expect_error(ErrorCode::kUsage, "no column named \"color\"",
                 [&] { read(text, label_is("color")); });
}

TEST(Csv, IgnoresColumns) {
    ReadOptions options;
    options.ignore = {"name", "3"};
    const Dataset data = read("name,a,b,c\nfoo,1,2,nan\nbar,3,4,5", options);
    EXPECT_EQ(dense_values(data), (Numbers{1, 3}));
    EXPECT_EQ(label_names(data), (Names{"2", "4"})) << "the last column that is not ignored";
    options.label = "name";
    expect_error(ErrorCode::kUsage, "is also `ignore`",
                 [&] { read("name,a,b,c\n1,2,3,4", options); });
}

TEST(Csv, RowsOfTheExpectedWidthHaveNoLabels) {
    ReadOptions options;
    options.known.features = 2;
    EXPECT_FALSE(read("1,2\n3,4", options).labelled());
    EXPECT_EQ(read("a,b\n3,4", options).rows, 1u);
    EXPECT_TRUE(read("1,2,0\n3,4,1", options).labelled());
    options.ignore = {"2"};
    EXPECT_FALSE(read("1,2,0\n3,4,1", options).labelled());
    options = {};
    options.known.features = 1;
    EXPECT_EQ(dense_values(read("5\n6", options)), (Numbers{5, 6}));
}

TEST(Csv, CountsMissingValues) {
    const Dataset data = read("1,,0\n?,NA,1\n");
    EXPECT_TRUE(holds<float>(data));
    const auto values = dense_values(data);
    EXPECT_EQ(values[0], 1);
    for (int i = 1; i < 4; ++i) EXPECT_TRUE(std::isnan(values[i]));
    EXPECT_EQ(data.notes, (Names{"t.csv: 3 missing values"}));
}

TEST(Csv, SortsClasses) {
    EXPECT_EQ(read("0,10\n0,9\n0,+1\n0,-1\n0,1").class_names, (Names{"-1", "1", "9", "10"}));
    EXPECT_EQ(label_names(read("0,10\n0,+1\n0,1")), (Names{"10", "1", "1"}));
    EXPECT_EQ(read("0,10\n0,9\n0,+1\n0,b\n0,B").class_names, (Names{"+1", "10", "9", "B", "b"}));
}

TEST(Csv, BadCellsAreErrorsWithTheirLine) {
    expect_error(ErrorCode::kData, "t.csv:2: \"x\" in column 1 is not a number",
                 [] { read("1,2,0\n3,x,0"); });
    expect_error(ErrorCode::kData, "t.csv:1: \"inf\" in column 1 is not a finite number",
                 [] { read("1,inf,0\n3,4,0"); });
    expect_error(ErrorCode::kData, "t.csv:3: \"-Inf\"", [] { read("a,b,c\n1,2,0\n3,-Inf,0"); });
    expect_error(ErrorCode::kData, "t.csv:2: \"1e999\"", [] { read("1,2,0\n3,1e999,0"); });
    expect_error(ErrorCode::kData, "t.csv:2: \"1,5\"", [] { read("1,5;2,5;0\n1,5;2,5;0"); });
    expect_error(ErrorCode::kData, "t.csv:4: ", [] { read("1,2,\"a\nb\"\n\n3,x,0"); });
}

TEST(Csv, RaggedRowsAreErrorsWithTheirLine) {
    expect_error(ErrorCode::kData, "t.csv:2: 2 cells where the first line has 3",
                 [] { read("1,2,0\n3,4\n"); });
    expect_error(ErrorCode::kData, "t.csv:3: 4 cells", [] { read("1,2,0\n3,4,0\n5,6,7,0\n"); });
}

TEST(Csv, OtherDamage) {
    expect_error(ErrorCode::kData, "t.csv:2: the label is missing: the last column is empty",
                 [] { read("1,2,0\n3,4,"); });
    expect_error(ErrorCode::kData, "t.csv:2: the label is missing; ", [] { read("1,0\n2,NA\n"); });
    expect_error(ErrorCode::kData, "t.csv:2: a quote is never closed",
                 [] { read("1,0\n2,\"a\n3,0\n"); });
    expect_error(ErrorCode::kData, "t.csv:2: a quote inside", [] { read("1,0\n2\"\",0"); });
    expect_error(ErrorCode::kData, "t.csv:1: text after a closing quote",
                 [] { read("\"1\"2,0\n"); });
    expect_error(ErrorCode::kData, "no column of features", [] { read("1 2 3\n"); });
    expect_error(ErrorCode::kData, "t.csv: no rows", [] { read("a,b,c\n"); });
}

}  // namespace
}  // namespace bitbayes::data
