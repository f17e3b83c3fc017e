#include "data/libsvm.hpp"

#include <gtest/gtest.h>

#include "files.hpp"

namespace bitbayes::data {
namespace {

using test::expect_error;
using test::label_names;
using test::Names;

Dataset read(std::string_view bytes) { return read_libsvm(bytes, "t.svm"); }

void expect_bad(const std::string& part, const std::string& text) {
    expect_error(ErrorCode::kData, part, [&] { read(text); });
}

TEST(Libsvm, ReadsSparseRows) {
    const Dataset data =
        read("# made by hand\n+1 1:0.5 7:-2 # a comment\r\n\n-1\n+1 2:0 3:1e-3\t9:+4\n");
    EXPECT_EQ(data.kind, DataKind::kSparse);
    EXPECT_EQ(data.rows, 3u);
    EXPECT_EQ(data.features, 9u);
    const auto& rows = std::get<SparseRows>(data.values);
    EXPECT_EQ(rows.row_start, (std::vector<std::uint64_t>{0, 2, 2, 4}));
    EXPECT_EQ(rows.column, (std::vector<std::uint32_t>{0, 6, 2, 8})) << "zeros are dropped";
    EXPECT_EQ(rows.value, (std::vector<float>{0.5f, -2, 1e-3f, 4}));
    EXPECT_EQ(data.class_names, (Names{"-1", "1"}));
    EXPECT_EQ(label_names(data), (Names{"1", "-1", "1"}));
}

TEST(Libsvm, RowsMayHaveNoLabels) {
    const Dataset data = read("1:1 2:1\n5:1\n");
    EXPECT_FALSE(data.labelled());
    EXPECT_EQ(data.rows, 2u);
    EXPECT_EQ(data.features, 5u);
    expect_bad("t.svm:2: a label, where the rows before have none", "1:1\n+1 1:1\n");
    expect_bad("t.svm:2: no label", "+1 1:1\n1:1\n");
}

TEST(Libsvm, RowsWithoutAnyValueAreNoTable) {
    expect_bad("t.svm: no column of features", "a\nb\na\n");
    expect_bad("t.svm: no column of features", "a 1:0\nb 2:0\n");
    TableColumns known;
    known.features = 2;
    LibsvmReader answered(std::make_unique<Input>("a\nb\n", "t.svm"), known);
    EXPECT_EQ(read_rows(answered).rows, 2u) << "a model knows its columns";
}

TEST(Libsvm, BadIndicesAreErrorsWithTheirLine) {
    expect_bad("t.svm:2: index 0: indices count from 1", "1 1:1\n1 0:1\n");
    expect_bad("t.svm:1: index 2 after 3: indices must ascend", "1 3:1 2:1\n");
    expect_bad("t.svm:1: index 3 after 3", "1 3:1 3:1\n");
    expect_bad("t.svm:1: index 3 after 3", "1 3:0 3:1\n");
    expect_bad("t.svm:1: index 16777217 is above 16777216", "1 16777217:1\n");
    EXPECT_EQ(read("1 16777216:1\n").features, std::size_t{1} << 24);
    expect_bad("is not index:value", "1 99999999999999999999999:1\n");
    expect_bad("is not index:value", "1 -1:1\n");
}

TEST(Libsvm, BadValuesAreErrorsWithTheirLine) {
    for (const char* value : {"nan", "inf", "1e39", "x", "", "1:2"}) {
        expect_bad("t.svm:1: \"" + std::string(value) + "\" is not a finite number",
                   "1 1:" + std::string(value));
    }
    expect_bad("t.svm:1: \"qid:3\" is not index:value", "1 qid:3 1:1");
    expect_bad("t.svm:1: \"7\" is not index:value", "1 1:1 7");
    expect_bad("t.svm: no rows", "# nothing\n");
}

TEST(Libsvm, IsToldFromCsv) {
    for (const char* line : {"1 1:2", "+1 3:0.5 4:1", "7:1", "cat 1:1", "1\t2:3"})
        EXPECT_TRUE(looks_like_libsvm(line)) << line;
    for (const char* line : {"1,2,3", "1 2 3", "", "a:b,c", "2020-01-01 10:30:00,5", "1"}) {
        EXPECT_FALSE(looks_like_libsvm(line)) << line;
    }
}

TEST(Libsvm, ColumnsThatTrainingDidNotSeeAreLeftOutAndCounted) {
    TableColumns known;
    known.features = 5;
    known.kept = {0, 3};
    LibsvmReader reader(std::make_unique<Input>("1 1:1 2:1 4:2 5:0 6:7\n2 3:1 4:4\n", "t"), known);
    const Dataset data = read_rows(reader);
    const auto& rows = std::get<SparseRows>(data.values);
    EXPECT_EQ(rows.column, (std::vector<std::uint32_t>{0, 3, 3}));
    EXPECT_EQ(data.notes,
              (Names{"t: 1 value of indices above 5, unknown to the model, ignored",
                     "t: 2 values of columns that were absent or constant in training, ignored"}));
}

}  // namespace
}  // namespace bitbayes::data
