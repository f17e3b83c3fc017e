#include "data/preprocess.hpp"
#include "rows/labels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "bitbayes/types/error.hpp"
#include "tables.hpp"

namespace bitbayes::data {
namespace {

using test::as_sparse;
using test::code_of;
using test::kMissing;
using test::stored_as;
using test::table;

/// Columns 0 to 3: varied, constant, two-valued, varied with large values.
Dataset mixed(std::size_t rows = 40) {
    std::vector<double> values;
    for (std::size_t r = 0; r < rows; ++r) {
        const auto k = static_cast<double>(r);
        values.insert(values.end(), {std::fmod(k * 7, 11), 5, r % 3 == 0 ? 1.0 : 0.0, k * k});
    }
    return table(4, std::move(values));
}

Preprocessing fit(const Dataset& data, const std::string& choice, bool bias = true) {
    return Preprocessing::fit(data, {choice, bias, true});
}

InputBlock apply_all(const Preprocessing& p, const Dataset& data) {
    std::vector<std::size_t> rows(data.rows);
    std::iota(rows.begin(), rows.end(), 0);
    InputBlock block;
    p.apply(data, rows, block);
    if (p.sparse) return block;
    // With zeros in the places of inputs that are not live.
    const auto live = p.live_inputs();
    InputBlock all;
    all.rows = block.rows;
    all.stride = padded(p.inputs());
    all.value.assign(all.rows * all.stride, 0);
    for (std::size_t r = 0; r < block.rows; ++r) {
        for (std::size_t k = 0; k < live.size(); ++k) {
            all.value[r * all.stride + live[k]] = block.value[r * block.stride + k];
        }
    }
    return all;
}

TEST(Preprocess, ConstantColumnsAreNotLive) {
    EXPECT_EQ(fit(mixed(), "center").live_inputs(), (std::vector<std::uint32_t>{0, 2, 3, 4}));
    EXPECT_EQ(fit(mixed(), "center", false).live_inputs(), (std::vector<std::uint32_t>{0, 2, 3}));
    EXPECT_EQ(fit(mixed(), "thermometer:2").live_inputs().size(),
              fit(mixed(), "thermometer:2").inputs());
    EXPECT_EQ(fit(as_sparse(mixed()), "none").live_inputs().size(), 4u);
}

TEST(Preprocess, ColumnStatistics) {
    const auto p = fit(table(3, {3, 7, 0.5, 1, 7, kMissing, 2, 7, -1, 10, 7, kMissing}), "none");
    EXPECT_EQ(p.columns.minimum, (std::vector<double>{1, 7, -1}));
    EXPECT_EQ(p.columns.maximum, (std::vector<double>{10, 7, 0.5}));
    EXPECT_EQ(p.columns.median, (std::vector<double>{2, 7, -1}));
    EXPECT_EQ(p.columns.integer, (std::vector<std::uint8_t>{1, 1, 0}));
    EXPECT_TRUE(p.columns.constant(1));
}

TEST(Preprocess, AColumnOfMissingValuesIsConstant) {
    const auto p = fit(table(2, {1, kMissing, 2, kMissing}), "center");
    EXPECT_TRUE(p.columns.constant(1));
    EXPECT_EQ(p.columns.median[1], 0);
    EXPECT_EQ(apply_all(p, table(2, {1, 3})).value[1], 0);
}

// Column means 2 and 20; squares 2 * 1 + 2 * 100 over 4 values.
TEST(Preprocess, CenterHasOneScale) {
    const auto p = fit(table(2, {1, 10, 3, 30}), "center");
    EXPECT_EQ(p.mean, (std::vector<double>{2, 20}));
    ASSERT_EQ(p.scale.size(), 1u);
    EXPECT_DOUBLE_EQ(p.scale[0], std::sqrt(202.0 / 4));
    const auto block = apply_all(p, table(2, {1, 40}));
    EXPECT_FLOAT_EQ(block.value[0], -1 / std::sqrt(50.5f));
    EXPECT_FLOAT_EQ(block.value[1], 20 / std::sqrt(50.5f));
    EXPECT_EQ(block.value[2], 1);
}

TEST(Preprocess, CenteredTrainingDataHasMeanZeroAndUnitMeanSquare) {
    const Dataset data = mixed();
    for (const char* choice : {"center", "thermometer:5"}) {
        const auto p = fit(data, choice);
        const auto block = apply_all(p, data);
        double squares = 0;
        for (std::size_t j = 0; j + 1 < p.inputs(); ++j) {
            double sum = 0;
            for (std::size_t r = 0; r < data.rows; ++r) {
                const double u = block.value[r * block.stride + j];
                sum += u;
                squares += u * u;
            }
            EXPECT_NEAR(sum, 0, 1e-4) << choice;
        }
        EXPECT_NEAR(squares / static_cast<double>(data.rows * (p.inputs() - 1)), 1, 1e-5) << choice;
    }
}

TEST(Preprocess, StandardizeHasOneScalePerColumn) {
    const auto p = fit(table(3, {1, 10, 4, 3, 30, 4}), "standardize");
    EXPECT_EQ(p.scale, (std::vector<double>{1, 10, 1}));
    const auto block = apply_all(p, table(3, {4, 0, 9}));
    EXPECT_EQ(block.value[0], 2);
    EXPECT_EQ(block.value[1], -2);
    EXPECT_EQ(block.value[2], 0);
}

// Sorted 0..9: positions floor(9 k / 4) = 2, 4, 6.
TEST(Preprocess, ThermometerThresholdsAreQuantiles) {
    const auto p = fit(table(1, {9, 1, 8, 2, 7, 3, 6, 4, 5, 0}), "thermometer:3");
    EXPECT_EQ(p.thresholds, (std::vector<double>{2, 4, 6}));
    EXPECT_EQ(p.inputs(), 4u);
    ASSERT_EQ(p.mean.size(), 3u);
    EXPECT_DOUBLE_EQ(p.mean[0], 0.4);
    EXPECT_DOUBLE_EQ(p.mean[1], 0.0);
    EXPECT_DOUBLE_EQ(p.mean[2], -0.4);
    EXPECT_DOUBLE_EQ(p.scale[0], std::sqrt((0.84 + 1 + 0.84) / 3));
    const auto block = apply_all(p, table(1, {4.5}));
    EXPECT_FLOAT_EQ(block.value[0], static_cast<float>(0.6 / p.scale[0]));
    EXPECT_FLOAT_EQ(block.value[2], static_cast<float>(-0.6 / p.scale[0]));
}

TEST(Preprocess, ThermometerMergesEqualThresholdsAndStaysBelowTheMaximum) {
    // Column 0: mostly 1. Column 1: constant. Column 2: mostly its maximum, some values missing.
    const auto p = fit(table(3, {0, 5, 9, 1, 5, 9, 1, 5, 9, 1, 5, 2, 1, 5, kMissing, 7, 5, 9}),
                       "thermometer:4");
    EXPECT_EQ(p.threshold_start, (std::vector<std::uint64_t>{0, 1, 1, 2}));
    EXPECT_EQ(p.thresholds, (std::vector<double>{4, 5})) << "midway from 1 to 7 and from 2 to 9";
    EXPECT_EQ(p.inputs(), 3u);
    const auto block = apply_all(p, table(3, {7, 6, kMissing}));
    EXPECT_GT(block.value[0], 0);
    EXPECT_EQ(block.value[1], 0);
    EXPECT_EQ(block.value[2], 1);
}

TEST(Preprocess, ThresholdsLieMidwayBetweenTrainingValues) {
    const auto threshold = [](double low, double high) {
        const auto p = fit(table(1, {low, high}), "thermometer:1");
        EXPECT_EQ(p.thresholds.size(), 1u);
        return p.thresholds[0];
    };
    EXPECT_EQ(threshold(0.5, 1), 0.75);
    EXPECT_EQ(threshold(2, 3), 2) << "whole numbers are compared as such";
    EXPECT_EQ(threshold(2, 12), 7);
    EXPECT_EQ(threshold(-3, -2), -3);
    EXPECT_EQ(threshold(-1, 1), -1) << "signs: 0 would be +1";
    EXPECT_EQ(threshold(-0x1p1023, 0x1.8p1023), 0x1p1021);
    const double next = std::nextafter(0.1, 1);
    EXPECT_EQ(threshold(0.1, next), 0.1) << "nothing lies between";
    EXPECT_EQ(threshold(next, std::nextafter(next, 1)), next);
}

TEST(Preprocess, AnOutlierDoesNotStretchThresholds) {
    const auto p = fit(table(1, {0, 0, 0, 0.5, 0.5, 1e9}), "thermometer:8");
    EXPECT_EQ(p.thresholds, (std::vector<double>{0.25, 0.5 + 2048 * 0.5}));
}

TEST(Preprocess, ThresholdsPartTrainingRowsAsQuantilesDo) {
    std::vector<double> values;
    for (int r = 0; r < 500; ++r) values.push_back(std::sqrt(r * 37 % 101) - 4);
    const auto p = fit(table(1, values), "thermometer:8");
    std::sort(values.begin(), values.end());
    ASSERT_EQ(p.thresholds.size(), 8u);
    for (std::size_t k = 0; k < 8; ++k) {
        const double quantile = values[(values.size() - 1) * (k + 1) / 9];
        const double next = *std::upper_bound(values.begin(), values.end(), quantile);
        EXPECT_LE(quantile, p.thresholds[k]);
        EXPECT_LT(p.thresholds[k], next);
        EXPECT_DOUBLE_EQ(p.thresholds[k], (quantile + next) / 2);
    }
}

TEST(Preprocess, KnowsWhetherTheClippedNetworkNeedsSteps) {
    EXPECT_FALSE(fit(mixed(), "thermometer:3").binary_steps);
    EXPECT_FALSE(fit(mixed(), "center").binary_steps);
    EXPECT_TRUE(fit(table(1, {0, 0.5}), "thermometer:3").binary_steps);
    EXPECT_TRUE(fit(table(2, {0, 7, 0.5, 7}), "center").binary_steps);
    EXPECT_FALSE(fit(table(2, {0, 0.5, 1, 0.5}), "none").binary_steps) << "constant";
    EXPECT_TRUE(fit(table(1, {0, 32768}), "none").binary_steps);
    EXPECT_FALSE(fit(table(1, {0, 0.5}), "standardize").binary_steps);
}

/// The inputs that a budget leaves: (column, threshold).
std::vector<std::pair<std::size_t, double>> kept(const Dataset& data, std::size_t budget,
                                                 const std::string& choice = "thermometer:8") {
    const auto p = Preprocessing::fit(data, {choice, true, false, budget, data.labels});
    std::vector<std::pair<std::size_t, double>> result;
    for (std::size_t j = 0; j < p.columns.size(); ++j) {
        for (std::size_t k = p.threshold_start[j]; k < p.threshold_start[j + 1]; ++k) {
            result.emplace_back(j, p.thresholds[k]);
        }
    }
    EXPECT_EQ(p.mean.size(), result.size());
    EXPECT_EQ(p.inputs(), result.size() + 1);
    return result;
}

// Column 0 is noise, column 1 tells class 0 from the others above 4, column 2 tells 1 from 2 a little.
TEST(Budget, KeepsTheThresholdsThatTellMost) {
    std::vector<double> values;
    std::vector<std::uint32_t> labels;
    for (int r = 0; r < 180; ++r) {
        const int label = r % 3;
        values.insert(values.end(), {static_cast<double>(r / 3 % 9),
                                     static_cast<double>(label == 0 ? r % 5 : 5 + r % 4),
                                     static_cast<double>(label == 2 ? 9 - r % 8 : r % 8)});
        labels.push_back(static_cast<std::uint32_t>(label));
    }
    Dataset data = table(3, std::move(values));
    data.labels = labels;
    data.class_names = {"a", "b", "c"};
    using Pairs = std::vector<std::pair<std::size_t, double>>;
    EXPECT_EQ(kept(data, 1), (Pairs{{1, 4}}));
    const auto two = kept(data, 2);
    ASSERT_EQ(two.size(), 2u);
    EXPECT_EQ(two[0], (std::pair<std::size_t, double>{1, 4}));
    EXPECT_EQ(two[1].first, 2u);
    EXPECT_EQ(kept(data, 5).size(), 5u);
    EXPECT_EQ(kept(data, 1000), kept(data, 0));
    for (const auto& input : kept(data, 2)) {
        const auto three = kept(data, 3);
        EXPECT_NE(std::find(three.begin(), three.end(), input), three.end()) << "greedy";
    }
    EXPECT_EQ(code_of([&] { kept(data, 3, "center"); }), ErrorCode::kUsage);
}

TEST(Budget, WordsComeTogetherOrNotAtAll) {
    std::vector<double> values;
    std::vector<std::uint32_t> labels;
    for (int r = 0; r < 60; ++r) {
        values.insert(values.end(), {static_cast<double>(r % 3), static_cast<double>(r * 7 % 11)});
        labels.push_back(r % 3 == 1 ? 1 : 0);
    }
    Dataset data = table(2, std::move(values));
    data.labels = labels;
    data.class_names = {"no", "yes"};
    data.categories = {{"a", "b", "c"}, {}};
    const auto columns = [&](std::size_t budget) {
        std::vector<std::size_t> result;
        for (const auto& [column, threshold] : kept(data, budget)) result.push_back(column);
        return result;
    };
    EXPECT_EQ(columns(2), (std::vector<std::size_t>{1, 1})) << "three words do not fit";
    EXPECT_EQ(columns(3), (std::vector<std::size_t>{0, 0, 0}));
    EXPECT_EQ(columns(4), (std::vector<std::size_t>{0, 0, 0, 1}));
}

TEST(Preprocess, MissingAndConstantAreZero) {
    for (const char* choice : {"none", "center", "standardize"}) {
        const auto p = fit(mixed(), choice);
        const auto block = apply_all(p, table(4, {kMissing, 77, 0, 3}));
        EXPECT_EQ(block.value[0], 0) << choice;
        EXPECT_EQ(block.value[1], 0) << choice;
        EXPECT_NE(block.value[3], 0) << choice;
    }
}

TEST(Preprocess, RowsArePaddedAndInTheGivenOrder) {
    const Dataset data = mixed();
    const auto p = fit(data, "none");
    InputBlock block;
    block.value.assign(1000, 9.0f);
    const std::vector<std::size_t> rows{7, 2};
    p.apply(data, rows, block);
    EXPECT_EQ(block.rows, 2u);
    EXPECT_EQ(block.stride, 16u);
    EXPECT_EQ(block.value.size(), 32u);
    EXPECT_EQ(block.value[2], 49);  // column 3: column 1 is constant
    EXPECT_EQ(block.value[16 + 2], 4);
    for (const std::size_t start : {0u, 16u}) {
        EXPECT_EQ(block.value[start + 3], 1);
        for (std::size_t j = 4; j < 16; ++j) EXPECT_EQ(block.value[start + j], 0);
    }
}

TEST(Preprocess, StorageDoesNotMatter) {
    const Dataset data = table(3, {0, 3, 200, 1, 3, 0, 7, 3, 0, 2, 3, 255, 0, 3, 17});
    for (const char* choice : {"none", "center", "standardize", "thermometer:3"}) {
        const auto expected = fit(data, choice);
        const auto inputs = apply_all(expected, data).value;
        for (const Dataset& other :
             {stored_as<std::uint8_t>(data), stored_as<float>(data), as_sparse(data)}) {
            if (other.sparse() && choice == std::string("none")) continue;  // stays sparse
            const auto p = fit(other, choice);
            EXPECT_EQ(p.mean, expected.mean);
            EXPECT_EQ(p.scale, expected.scale);
            EXPECT_EQ(p.thresholds, expected.thresholds);
            EXPECT_EQ(p.columns.median, expected.columns.median);
            EXPECT_EQ(p.columns.minimum, expected.columns.minimum);
            EXPECT_EQ(p.columns.maximum, expected.columns.maximum);
            EXPECT_EQ(apply_all(p, other).value, inputs) << choice;
        }
    }
}

TEST(Preprocess, RowOrderAndNegativeZeroDoNotMatter) {
    const auto a = fit(table(1, {0.1, 0.2, 0.3, -0.0, 0.0, 0.7}), "center");
    const auto b = fit(table(1, {0.7, 0.0, 0.3, 0.2, -0.0, 0.1}), "center");
    EXPECT_EQ(a.mean, b.mean);
    EXPECT_EQ(a.scale, b.scale);
    EXPECT_FALSE(std::signbit(a.columns.minimum[0]));
}

TEST(Preprocess, SparseRowsStaySparseAndKeepTheColumnsThatVary) {
    // Column 1 is 4 in every row: constant. Column 3 has no entry at all.
    const Dataset data = as_sparse(table(4, {0, 4, 2, 0, 3, 4, 0, 0, 0, 4, -1, 0}));
    const auto p = Preprocessing::fit(data, {});
    EXPECT_TRUE(p.sparse);
    ASSERT_TRUE(p.kept);
    EXPECT_EQ(p.kept->column, (std::vector<std::uint32_t>{0, 2}));
    EXPECT_EQ(p.features(), 4u);
    EXPECT_EQ(p.inputs(), 3u);
    EXPECT_EQ(p.columns.minimum, (std::vector<double>{0, -1}));
    EXPECT_EQ(p.columns.maximum, (std::vector<double>{3, 2}));
    const Dataset later = as_sparse(table(6, {0, 0, 0, 9, 0, 8, 2, 4, 7, 0, 1, 0}));
    for (const Dataset& rows : {later, table(4, {0, 0, 0, 9, 2, 4, 7, 0})}) {
        check_columns(rows, p.features());
        const auto block = apply_all(p, rows);
        EXPECT_TRUE(block.sparse);
        EXPECT_EQ(block.row_start, (std::vector<std::size_t>{0, 1, 4}));
        EXPECT_EQ(block.index, (std::vector<std::uint32_t>{2, 0, 1, 2}));
        EXPECT_EQ(block.value, (AlignedVector<float>{1, 2, 7, 1}));
    }
}

TEST(Preprocess, SparseRowsTakeMemoryForTheirEntriesOnly) {
    Dataset data = as_sparse(table(1, {1, 0}));
    std::get<SparseRows>(data.values).column[0] = UINT32_MAX - 1;
    data.features = UINT32_MAX;
    const auto p = Preprocessing::fit(data, {});
    EXPECT_EQ(p.features(), std::size_t{UINT32_MAX});
    EXPECT_EQ(p.inputs(), 2u);
    EXPECT_EQ(apply_all(p, data).index, (std::vector<std::uint32_t>{0, 1, 1}));
    std::vector<double> row(1);
    p.copy_row(data, 0, row);
    EXPECT_EQ(row[0], 1);
}

TEST(Preprocess, SparseDataWhoseColumnsAllVaryNeedsNoList) {
    EXPECT_FALSE(Preprocessing::fit(as_sparse(table(2, {1, 0, 0, 2})), {}).kept);
    const auto none = Preprocessing::fit(as_sparse(table(2, {1, 2, 1, 2})), {});
    EXPECT_EQ(none.inputs(), 1u);
    EXPECT_EQ(none.features(), 2u);
}

TEST(Preprocess, SparseDataIsMadeDenseOnlyOnDemand) {
    const Dataset data = as_sparse(mixed());
    EXPECT_EQ(code_of([&] {
                  Preprocessing::fit(data, {"center", true, false});
              }),
              ErrorCode::kUsage);
    const auto p = Preprocessing::fit(data, {"center", true, true});
    EXPECT_FALSE(p.sparse);
    EXPECT_EQ(apply_all(p, data).value, apply_all(p, mixed()).value);
}

TEST(Preprocess, AutoRule) {
    const auto chosen = [](const Dataset& data) { return Preprocessing::fit(data, {}); };
    EXPECT_EQ(chosen(as_sparse(mixed())).name(), "none");
    EXPECT_EQ(chosen(mixed()).name(), "thermometer:8");
    EXPECT_EQ(chosen(mixed()).reason, "table of 4 columns, fewer than 64");
    // A CSV of bytes is stored as bytes, but it is a table all the same.
    EXPECT_EQ(chosen(stored_as<std::uint8_t>(mixed(16))).name(), "thermometer:8");
    EXPECT_EQ(chosen(table(2, {0, 5, 1, kMissing, 1, -2})).name(), "center");

    Dataset images = mixed();
    images.kind = DataKind::kImages;
    EXPECT_EQ(chosen(images).name(), "center");
    Dataset teacher = mixed();
    teacher.kind = DataKind::kTeacher;
    EXPECT_EQ(chosen(teacher).name(), "none");
    EXPECT_EQ(chosen(teacher).inputs(), 4u) << "teacher data has no constant";
}

// 64 columns, half of them constant; one varying column is `factor` times as wide as the others.
TEST(Preprocess, AutoRuleComparesScalesOfManyColumns) {
    const auto wide_table = [](double factor) {
        std::vector<double> values;
        for (int r = 0; r < 9; ++r) {
            for (int j = 0; j < 64; ++j)
                values.push_back(j % 2 ? (r * 5 + j) % 9 * (j == 1 ? factor : 1) : 3);
        }
        return table(64, std::move(values));
    };
    EXPECT_EQ(Preprocessing::fit(wide_table(9.9), {}).name(), "center");
    EXPECT_EQ(Preprocessing::fit(wide_table(10.1), {}).name(), "thermometer:8");
}

TEST(Preprocess, BiasIsAnOption) {
    EXPECT_EQ(fit(mixed(), "center", false).inputs(), 4u);
    EXPECT_EQ(fit(mixed(), "center", true).inputs(), 5u);
    EXPECT_EQ(code_of([] { fit(table(1, {3, 3}), "thermometer:2", false); }), ErrorCode::kData);
}

TEST(Preprocess, RefusesUnknownChoices) {
    for (const char* choice : {"centre", "", "thermometer", "thermometer:0", "thermometer:-1",
                               "thermometer:8x", "thermometer:99999"}) {
        EXPECT_EQ(code_of([&] { fit(mixed(), choice); }), ErrorCode::kUsage) << choice;
    }
    EXPECT_EQ(fit(mixed(), "thermometer:12").name(), "thermometer:12");
}

TEST(Preprocess, RefusesOtherShapes) {
    const auto p = fit(mixed(), "center");
    EXPECT_EQ(code_of([&] { check_columns(table(3, {1, 2, 3}), p.features()); }), ErrorCode::kData);
    EXPECT_EQ(code_of([&] {
                  check_columns(table(5, {1, 2, 3, 4, 5}), p.features());
              }),
              ErrorCode::kData);
    check_columns(as_sparse(table(9, {1, 2, 3, 4, 5, 6, 7, 8, 9})), p.features());
    const auto sparse = fit(as_sparse(mixed()), "none");
    EXPECT_EQ(code_of([&] {
                  check_columns(table(5, {1, 2, 3, 4, 5}), sparse.features());
              }),
              ErrorCode::kData);
    EXPECT_EQ(code_of([&] {
                  check_columns(table(3, {1, 2, 3}), sparse.features());
              }),
              ErrorCode::kData);
}

TEST(Preprocess, WordsAreOneInputPerValueSeen) {
    Dataset data = table(2, {0, 5, 1, 6, 1, 7, 3, 8, NAN, 9});
    data.categories = {{"a", "b", "c", "d"}, {}};
    const auto p = fit(data, "auto");
    EXPECT_EQ(p.name(), "thermometer:8");
    EXPECT_EQ(p.reason, "a table with columns of words");
    ASSERT_EQ(p.threshold_start[1], 3u) << "c was not seen";
    EXPECT_EQ(std::vector<double>(p.thresholds.begin(), p.thresholds.begin() + 3),
              (std::vector<double>{0, 1, 3}));
    EXPECT_EQ(p.columns.median[0], 1) << "the most frequent";
    EXPECT_EQ(p.mean[1], 0) << "two of four rows";
    EXPECT_EQ(p.mean[0], -0.5);
    const auto u = apply_all(p, table(2, {1, 5, 2, 5, NAN, 5}));
    const std::size_t stride = u.stride;
    const auto s = p.scale[0];
    EXPECT_FLOAT_EQ(u.value[0], static_cast<float>((-1 + 0.5) / s));
    EXPECT_FLOAT_EQ(u.value[1], static_cast<float>(1 / s));
    for (std::size_t k = 0; k < 3; ++k) {
        EXPECT_EQ(u.value[stride + k], 0) << "a word that training did not see";
        EXPECT_EQ(u.value[2 * stride + k], 0) << "missing";
    }
    EXPECT_EQ(code_of([&] { fit(data, "center"); }), ErrorCode::kUsage);
}

TEST(Preprocess, RefusesHugeValues) {
    const auto p = fit(mixed(), "none");
    try {
        apply_all(p, table(4, {0, 0, 0, 0, 0, 0, 1.1e15, 0}));
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::kData);
        EXPECT_NE(std::string(error.what()).find("row 1 (from 0), column 2"), std::string::npos);
    }
    apply_all(p, table(4, {0, 0, -9.9e14, 0}));
    const auto sparse = fit(as_sparse(mixed()), "none");
    EXPECT_EQ(code_of([&] {
                  apply_all(sparse, as_sparse(table(4, {0, 0, 2e15, 0})));
              }),
              ErrorCode::kData);
    EXPECT_EQ(code_of([] { fit(table(1, {-1e300, 1e300}), "center"); }), ErrorCode::kData);
    EXPECT_EQ(fit(table(1, {-1e308, 1e308, 0}), "auto").name(), "thermometer:8");
}

}  // namespace
}  // namespace bitbayes::data
