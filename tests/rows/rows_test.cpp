#include "bitbayes/types/rows.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "data/split.hpp"
#include "model/expect_error.hpp"
#include "rows/labels.hpp"

namespace bitbayes {
namespace {

using test::error_of;

Dataset table() {
    Dataset data;
    data.name = "t";
    data.rows = 2;
    data.features = 3;
    data.values = std::vector<double>{1, 2, 3, 4, 5, 6};
    data.labels = {0, 1};
    data.class_names = {"no", "yes"};
    return data;
}

std::vector<double> row_of(const Rows& rows, std::size_t row, std::size_t width = 3) {
    std::vector<double> out(width, -1);
    rows.copy_row(row, out);
    return out;
}

TEST(Rows, MessagesHaveANameWhereTheDataHaveNone) {
    Dataset data = table();
    data.name.clear();
    EXPECT_EQ(Rows(data).name(), "the data");
    data.labels[0] = 2;
    EXPECT_TRUE(error_of(ErrorCode::kData, [&] {
                    LabelledRows rows(data);
                }).starts_with("the data: row 0: label 2"));
}

TEST(Rows, ReadWhatLiesAnywhere) {
    const std::vector<float> padded{1, 2, 3, 0, 4, 5, 6, 0};
    const std::vector<std::uint8_t> by_column{1, 4, 2, 5, 3, 6};
    const double plain[] = {1, 2, 3, 4, 5, 6};
    const std::uint64_t start[] = {0, 3, 6};
    const std::uint32_t column[] = {0, 1, 2, 0, 1, 2};
    const float value[] = {1, 2, 3, 4, 5, 6};
    const Dataset data = table();
    const Rows views[] = {Rows(data),
                          Rows(std::span(plain), 3),
                          Rows(DenseView<float>{padded.data(), 4, 1}, 2, 3),
                          Rows(DenseView<std::uint8_t>{by_column.data(), 1, 2}, 2, 3),
                          Rows(DenseView<double>{plain + 3, -3, 1}, 2, 3),
                          Rows(SparseView{start, column, value}, 3)};
    for (std::size_t v = 0; v < std::size(views); ++v) {
        const bool upside_down = v == 4;
        EXPECT_EQ(row_of(views[v], upside_down ? 1 : 0), (std::vector<double>{1, 2, 3})) << v;
        EXPECT_EQ(row_of(views[v], upside_down ? 0 : 1), (std::vector<double>{4, 5, 6})) << v;
        EXPECT_EQ(row_of(views[v], upside_down ? 1 : 0, 4), (std::vector<double>{1, 2, 3, 0})) << v;
        EXPECT_EQ(row_of(views[v], upside_down ? 1 : 0, 2), (std::vector<double>{1, 2})) << v;
        double sum = 0;
        views[v].for_each_nonzero(0, [&](std::size_t j, double x) { sum += x * std::pow(10, j); });
        EXPECT_EQ(sum, upside_down ? 654 : 321) << v;
    }
}

TEST(Rows, WhatDoesNotFitTogetherIsRefused) {
    const auto refused = [](const std::function<void(Dataset&)>& change) {
        Dataset data = table();
        change(data);
        return error_of(ErrorCode::kUsage, [&] { Rows rows(data); });
    };
    EXPECT_EQ(refused([](auto& d) { d.rows = 3; }), "t: 6 values for 3 rows of 3 columns");
    EXPECT_EQ(refused([](auto& d) { d.features = 4; }), "t: 6 values for 2 rows of 4 columns");
    EXPECT_EQ(refused([](auto& d) { d.features = 0; }), "t: 6 values for 2 rows of 0 columns");
    refused([](auto& d) { d.column_names = {"a"}; });
    refused([](auto& d) { d.values = SparseRows{{0, 1, 2}, {0, 3}, {1, 1}}; });  // column 3 of 3
    refused([](auto& d) { d.values = SparseRows{{0, 2, 2}, {1, 1}, {1, 1}}; });
    refused([](auto& d) { d.values = SparseRows{{0, 3, 2}, {0, 1}, {1, 1}}; });
    refused([](auto& d) { d.values = SparseRows{{0, 1, 2}, {0, 1}, {1}}; });
    refused([](auto& d) { d.values = SparseRows{{0, 1}, {0}, {1}}; });
    refused([](auto& d) { d.values = SparseRows{{}, {}, {}}; });
    EXPECT_EQ(refused([](auto& d) { d.image = {2, 2}; }), "t: images of 2 x 2 pixels in 3 columns");
    refused([](auto& d) { d.image = {3, 0}; });
    const std::vector<double> seven(7);
    error_of(ErrorCode::kUsage, [&] { Rows(std::span<const double>(seven), 3); });
    error_of(ErrorCode::kUsage, [&] { Rows(std::span<const double>(seven), 0); });
}

TEST(Rows, NamesAndPixelsOfColumns) {
    Dataset data = table();
    data.column_names = {"a", "b", "c"};
    data.image = {1, 3};
    Rows rows(std::get<std::vector<double>>(data.values), 3);
    EXPECT_EQ(rows.set_column_names(data.column_names).columns(), Rows(data).columns());
    EXPECT_EQ(rows.kind(), DataKind::kTable);
    EXPECT_EQ(rows.set_image({1, 3}).image(), Rows(data).image());
    EXPECT_EQ(rows.kind(), DataKind::kImages);
    const std::vector<std::string> two = {"a", "b"};
    error_of(ErrorCode::kUsage, [&] { Rows(rows).set_column_names(two); });
    error_of(ErrorCode::kUsage, [&] { Rows(rows).set_image({2, 2}); });
}

TEST(Rows, LabelsAreChecked) {
    const auto refused = [](const std::function<void(Dataset&)>& change) {
        Dataset data = table();
        change(data);
        return error_of(ErrorCode::kData, [&] { LabelledRows rows(data); });
    };
    EXPECT_EQ(refused([](auto& d) { d.labels = {0}; }), "t: 1 labels for 2 rows");
    EXPECT_EQ(refused([](auto& d) {
                  d.labels = {0, 2};
              }),
              "t: row 1: label 2, but there are 2 class names");
    EXPECT_EQ(refused([](auto& d) { d.labels.clear(); }),
              "t: no labels; hint: rows to learn or to test on need a class each; `label` names "
              "its column");
}

TEST(Rows, SelectChecksItsRows) {
    const Dataset data = table();
    EXPECT_EQ(std::get<std::vector<double>>(data.select(std::vector<std::size_t>{1}).values),
              (std::vector<double>{4, 5, 6}));
    error_of(ErrorCode::kUsage, [&] { data.select(std::vector<std::size_t>{2}); });
    Dataset short_of_values = table();
    short_of_values.rows = 5;
    error_of(ErrorCode::kUsage, [&] { short_of_values.select(std::vector<std::size_t>{4}); });
    Dataset short_of_labels = table();
    short_of_labels.labels = {0};
    error_of(ErrorCode::kData, [&] { short_of_labels.select(std::vector<std::size_t>{1}); });
    std::vector<double> row(2);
    error_of(ErrorCode::kUsage, [&] { data.copy_row(0, row); });
}

TEST(Rows, FingerprintsSeeTheValuesNotTheStrides) {
    const Dataset data = table();
    const double padded[] = {1, 2, 3, 0, 4, 5, 6};
    const LabelledRows strided(Rows(DenseView<double>{padded, 4, 1}, 2, 3), data.labels,
                               data.class_names);
    EXPECT_EQ(data::fingerprint(data), data::fingerprint(strided));
    Dataset other = table();
    std::get<std::vector<double>>(other.values)[5] = 7;
    EXPECT_NE(data::fingerprint(data), data::fingerprint(other));
}

TEST(Labels, IntegersMatchByValue) {
    const ClassIndex classes({"-1", "1", "x"});
    EXPECT_EQ(classes.find("+1"), 1u);
    EXPECT_EQ(classes.find("x"), 2u);
    EXPECT_EQ(classes.find("y"), ClassIndex::kUnknown);
    EXPECT_EQ(classes.find(""), ClassIndex::kUnknown);
}

}  // namespace
}  // namespace bitbayes
