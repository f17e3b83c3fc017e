#include "data/folds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "data/split.hpp"
#include "tables.hpp"

namespace bitbayes::data {
namespace {

using test::code_of;
using test::table;

/// Row r holds the number r; classes by `label_of`.
template <class Label>
Dataset numbered(std::size_t rows, std::uint32_t classes, const Label& label_of) {
    std::vector<double> values;
    Dataset data;
    for (std::size_t r = 0; r < rows; ++r) {
        values.push_back(static_cast<double>(r));
        data.labels.push_back(static_cast<std::uint32_t>(label_of(r)));
    }
    Dataset out = table(1, values);
    out.labels = data.labels;
    for (std::uint32_t k = 0; k < classes; ++k) out.class_names.push_back(std::to_string(k));
    return out;
}

/// 60 groups of 1 to 12 rows; most rows of a group have one class of three.
Dataset grouped(unsigned seed) {
    std::mt19937 engine(seed);
    std::vector<std::uint32_t> groups, labels;
    for (std::uint32_t g = 0; g < 60; ++g) {
        const auto size = 1 + engine() % 12;
        for (std::size_t i = 0; i < size; ++i) {
            groups.push_back(7 * g);
            labels.push_back(engine() % 5 == 0 ? engine() % 3 : g % 3);
        }
    }
    Dataset data = numbered(labels.size(), 3, [&](std::size_t r) { return labels[r]; });
    data.groups = groups;
    return data;
}

using Counts = std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t>;

Counts counts_of(const Dataset& data, const std::vector<std::uint32_t>& fold) {
    Counts counts;
    for (std::size_t r = 0; r < data.rows; ++r) ++counts[{fold[r], data.labels[r]}];
    return counts;
}

TEST(Folds, AreEvenWithinEachClassAndInAll) {
    const Dataset data = numbered(203, 3, [](std::size_t r) { return r % 10 == 0 ? 2 : r % 2; });
    const auto fold = draw_folds(data, 5, 1);
    std::vector<std::size_t> sizes(5, 0);
    for (const std::uint32_t f : fold) ++sizes.at(f);
    EXPECT_LE(*std::max_element(sizes.begin(), sizes.end()) -
                  *std::min_element(sizes.begin(), sizes.end()),
              1u);
    auto counts = counts_of(data, fold);
    for (std::uint32_t k = 0; k < 3; ++k) {
        for (std::uint32_t f = 1; f < 5; ++f) {
            const auto a = counts[{0, k}], b = counts[{f, k}];
            EXPECT_LE(a > b ? a - b : b - a, 1u);
        }
    }
    EXPECT_EQ(fold, draw_folds(data, 5, 1));
    EXPECT_NE(fold, draw_folds(data, 5, 2));
}

TEST(Folds, KeepGroupsWholeAndClassesNearlyEven) {
    const Dataset data = grouped(1);
    const auto fold = draw_folds(data, 5, 1);
    std::map<std::uint32_t, std::set<std::uint32_t>> folds_of_group;
    for (std::size_t r = 0; r < data.rows; ++r) folds_of_group[data.groups[r]].insert(fold[r]);
    for (const auto& [group, folds] : folds_of_group) EXPECT_EQ(folds.size(), 1u) << group;
    auto counts = counts_of(data, fold);
    for (std::uint32_t k = 0; k < 3; ++k) {
        const auto n = std::count(data.labels.begin(), data.labels.end(), k);
        for (std::uint32_t f = 0; f < 5; ++f) {
            EXPECT_NEAR(static_cast<double>(counts[{f, k}]), static_cast<double>(n) / 5,
                        0.08 * static_cast<double>(n));
        }
    }
    EXPECT_EQ(fold, draw_folds(data, 5, 1));
    EXPECT_NE(fold, draw_folds(data, 5, 2));
}

TEST(Folds, AClassInOneFoldOnlyIsAlwaysTrainedOn) {
    Dataset data = numbered(60, 3, [](std::size_t r) { return r == 13 ? 2 : r % 2; });
    auto fold = draw_folds(data, 3, 1);
    EXPECT_EQ(fold[13], kNoFold);
    EXPECT_EQ(std::count(fold.begin(), fold.end(), kNoFold), 1);
    for (std::uint32_t r = 0; r < 60; ++r) data.groups.push_back(r / 4);
    fold = draw_folds(data, 3, 1);
    for (std::size_t r = 0; r < 60; ++r) EXPECT_EQ(fold[r] == kNoFold, r / 4 == 13 / 4) << r;
}

TEST(Folds, RefusesWhatMakesNoSense) {
    Dataset data = numbered(10, 2, [](std::size_t r) { return r % 2; });
    for (const std::size_t folds : {0, 1, 11}) {
        EXPECT_EQ(code_of([&] { draw_folds(data, folds, 1); }), ErrorCode::kUsage) << folds;
    }
    data.groups = {0, 0, 0, 0, 1, 1, 1, 1, 2, 2};
    EXPECT_EQ(code_of([&] { draw_folds(data, 4, 1); }), ErrorCode::kUsage) << "three groups";
    data.labels.clear();
    EXPECT_EQ(code_of([&] { draw_folds(data, 2, 1); }), ErrorCode::kData);
}

TEST(HoldOut, KeepsGroupsWhole) {
    const Dataset data = grouped(2);
    const LoadedData split = hold_out(data, 0.25, 1);
    std::set<std::uint32_t> train(split.train.groups.begin(), split.train.groups.end());
    for (const std::uint32_t group : split.test.groups) EXPECT_FALSE(train.contains(group));
    EXPECT_NEAR(static_cast<double>(split.test.rows) / static_cast<double>(data.rows), 0.25, 0.05);
    for (std::uint32_t k = 0; k < 3; ++k) {
        const auto share =
            static_cast<double>(std::count(split.test.labels.begin(), split.test.labels.end(), k)) /
            static_cast<double>(std::count(data.labels.begin(), data.labels.end(), k));
        EXPECT_NEAR(share, 0.25, 0.1);
    }
    const LoadedData other = hold_out(data, 0.25, 2);
    EXPECT_NE(other.test.groups, split.test.groups);
}

TEST(HoldOut, AGroupWithAllRowsOfAClassStaysInTraining) {
    for (std::uint64_t seed = 1; seed < 20; ++seed) {
        Dataset data = numbered(24, 3, [](std::size_t r) { return r < 4 ? 2 : r % 2; });
        for (std::uint32_t r = 0; r < 24; ++r) data.groups.push_back(r / 4);
        const LoadedData split = hold_out(data, 0.5, seed);
        EXPECT_EQ(std::count(split.train.labels.begin(), split.train.labels.end(), 2u), 4) << seed;
    }
}

}  // namespace
}  // namespace bitbayes::data
