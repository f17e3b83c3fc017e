#include "data/split.hpp"
#include "rows/labels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <string>

#include "tables.hpp"

namespace bitbayes::data {
namespace {

using test::as_sparse;
using test::code_of;
using test::stored_as;
using test::table;

/// Row r holds the number r; class sizes are 60, 9 and 1, mixed up.
Dataset labelled_rows() {
    std::vector<double> values(70);
    std::iota(values.begin(), values.end(), 0);
    Dataset data = table(1, values);
    data.class_names = {"a", "b", "c"};
    for (std::uint32_t r = 0; r < 70; ++r)
        data.labels.push_back(r == 33 ? 2 : r % 7 == 1 && r < 63 ? 1 : 0);
    return data;
}

std::vector<double> row_numbers(const Dataset& data) {
    return std::get<std::vector<double>>(data.values);
}

std::size_t members(const Dataset& data, std::uint32_t label) {
    return static_cast<std::size_t>(std::count(data.labels.begin(), data.labels.end(), label));
}

TEST(HoldOut, TakesAShareOfEachClassAndKeepsTheOrder) {
    const Dataset whole = labelled_rows();
    const LoadedData split = hold_out(whole, 0.5, 1);
    EXPECT_EQ(members(split.test, 0), 30u);
    EXPECT_EQ(members(split.test, 1), 5u) << "4.5 rounds up";
    EXPECT_EQ(members(split.test, 2), 0u) << "the last row of a class stays in training";
    EXPECT_EQ(split.train.rows + split.test.rows, whole.rows);

    const auto train = row_numbers(split.train), test = row_numbers(split.test);
    EXPECT_TRUE(std::is_sorted(train.begin(), train.end()));
    EXPECT_TRUE(std::is_sorted(test.begin(), test.end()));
    std::set<double> all(train.begin(), train.end());
    all.insert(test.begin(), test.end());
    EXPECT_EQ(all.size(), whole.rows);
    for (std::size_t r = 0; r < test.size(); ++r) {
        EXPECT_EQ(split.test.labels[r], whole.labels[static_cast<std::size_t>(test[r])]);
    }
    EXPECT_EQ(split.test.class_names, whole.class_names);
}

TEST(HoldOut, AlmostAllStillLeavesOneOfEachClass) {
    const LoadedData split = hold_out(labelled_rows(), 0.999, 1);
    for (std::uint32_t k = 0; k < 3; ++k) EXPECT_EQ(members(split.train, k), 1u);
}

TEST(HoldOut, DependsOnTheSeedAlone) {
    const auto drawn = [](std::uint64_t seed) {
        return row_numbers(hold_out(labelled_rows(), 0.2, seed).test);
    };
    EXPECT_EQ(drawn(1), drawn(1));
    EXPECT_NE(drawn(1), drawn(2));
}

TEST(HoldOut, RefusesWhatMakesNoSense) {
    for (const double fraction : {0.0, 1.0, -0.1, 1.5, test::kMissing}) {
        EXPECT_EQ(code_of([&] { hold_out(labelled_rows(), fraction, 1); }), ErrorCode::kUsage)
            << fraction;
    }
    EXPECT_EQ(code_of([] { hold_out(labelled_rows(), 0.001, 1); }), ErrorCode::kUsage)
        << "no test row";
    EXPECT_EQ(code_of([] { hold_out(table(1, {1, 2}), 0.5, 1); }), ErrorCode::kData) << "no labels";
}

Dataset with_labels(std::vector<std::string> names, std::vector<std::uint32_t> labels) {
    Dataset data = table(1, std::vector<double>(labels.size(), 0));
    data.class_names = std::move(names);
    data.labels = std::move(labels);
    return data;
}

TEST(LabelsAmong, MatchesByNameAndIntegersByValue) {
    const std::vector<std::uint32_t> expected{2, 0, 2};
    EXPECT_EQ(labels_among(with_labels({"x", "z"}, {1, 0, 1}), {"x", "y", "z"}), expected);
    EXPECT_EQ(labels_among(with_labels({"-1", "+7"}, {1, 0, 1}), {"-1", "1", "7"}), expected);
    EXPECT_EQ(labels_among(with_labels({"1", "+1"}, {0, 1}), {"+1", "1", "a"}),
              (std::vector<std::uint32_t>{1, 0}))
        << "an equal name goes before an equal value";
}

TEST(LabelsAmong, NamesTheUnknownClass) {
    const Dataset data = with_labels({"cat", "dog", "emu"}, {0, 2, 0});
    EXPECT_EQ(labels_among(data, {"cat", "emu"}), (std::vector<std::uint32_t>{0, 1, 0}))
        << "no row is a dog";
    try {
        labels_among(data, {"cat", "dog"});
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::kData);
        EXPECT_NE(std::string(error.what()).find("emu"), std::string::npos);
    }
    EXPECT_EQ(code_of([] { labels_among(table(1, {1}), {"cat"}); }), ErrorCode::kData);
}

TEST(Fingerprint, ChangesWithEverythingThatTrainingReads) {
    const Dataset data = labelled_rows();
    Dataset other = data;
    other.name = "elsewhere.csv";
    other.notes = {"a note"};
    EXPECT_EQ(fingerprint(other), fingerprint(data));
    EXPECT_EQ(fingerprint(data).size(), 64u);

    std::set<std::string> seen{fingerprint(data)};
    const auto is_new = [&](const Dataset& changed) {
        return seen.insert(fingerprint(changed)).second;
    };
    other = data;
    std::get<std::vector<double>>(other.values)[69] += 1;
    EXPECT_TRUE(is_new(other));
    other = data;
    other.labels[3] = 2;
    EXPECT_TRUE(is_new(other));
    other = data;
    other.class_names = {"a", "bc", ""};
    EXPECT_TRUE(is_new(other));
    other = data;
    other.rows = 35;
    other.features = 2;
    other.labels.resize(35);
    EXPECT_TRUE(is_new(other));
    other = data;
    other.kind = DataKind::kImages;
    EXPECT_TRUE(is_new(other));
    other = data;
    other.weights.assign(data.rows, 1.0f);
    EXPECT_TRUE(is_new(other));
    other.weights[5] = 2;
    EXPECT_TRUE(is_new(other));
    EXPECT_TRUE(is_new(stored_as<float>(data)));
    EXPECT_TRUE(is_new(as_sparse(data)));
    other = as_sparse(data);
    std::get<SparseRows>(other.values).value[5] = 77;
    EXPECT_TRUE(is_new(other));
}

}  // namespace
}  // namespace bitbayes::data
