#include "learn/class_scores.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace bitbayes::learn {
namespace {

TEST(AreaUnderRoc, IsTheShareOfPairsInOrder) {
    std::mt19937 engine(1);
    std::vector<float> values;
    std::vector<std::uint32_t> labels;
    for (int r = 0; r < 200; ++r) {
        values.push_back(static_cast<float>(engine() % 20) / 20);  // many ties
        labels.push_back(engine() % 3);
    }
    for (std::uint32_t k = 0; k < 3; ++k) {
        double pairs = 0, above = 0;
        for (std::size_t a = 0; a < values.size(); ++a) {
            for (std::size_t b = 0; b < values.size(); ++b) {
                if (labels[a] != k || labels[b] == k) continue;
                pairs += 1;
                above += values[a] > values[b] ? 1 : values[a] == values[b] ? 0.5 : 0;
            }
        }
        EXPECT_NEAR(area_under_roc(values, labels, k), above / pairs, 1e-12);
    }
    const std::vector<double> doubles(values.begin(), values.end());
    EXPECT_EQ(area_under_roc(doubles, labels, 0), area_under_roc(values, labels, 0));
    EXPECT_TRUE(std::isnan(area_under_roc(values, labels, 3)));
    const std::vector<std::uint32_t> all_one(200, 1);
    EXPECT_TRUE(std::isnan(area_under_roc(values, all_one, 1)));
    values[5] = std::nanf("");
    EXPECT_TRUE(std::isnan(area_under_roc(values, labels, 0)));
}

TEST(AreaUnderRoc, DoublesThatAreOneFloatAreNoTies) {
    const std::vector<double> values{1 - 1e-12, 1 - 2e-12};
    EXPECT_EQ(area_under_roc(values, std::vector<std::uint32_t>{1, 0}, 1), 1);
}

// Truth 0 0 0 1 1, answers 0 0 1 1 0; class 2 has no rows, class 3 is never answered.
TEST(ClassScores, KnownExample) {
    ClassScores scores(6, 4);
    const auto add = [&](std::uint32_t truth, std::uint32_t answer, double p0) {
        scores.add(truth, answer, std::vector<double>{p0, 1 - p0, 0, 0});
    };
    add(0, 0, 0.9);
    add(0, 0, 0.8);
    add(0, 1, 0.4);
    add(1, 1, 0.1);
    add(1, 0, 0.6);
    add(3, 0, 0.7);
    Evaluation out;
    scores.fill(out);
    ASSERT_EQ(out.per_class.size(), 4u);
    EXPECT_EQ(out.per_class[0].rows, 3u);
    EXPECT_DOUBLE_EQ(out.per_class[0].precision, 2.0 / 4);
    EXPECT_DOUBLE_EQ(out.per_class[0].recall, 2.0 / 3);
    EXPECT_DOUBLE_EQ(out.per_class[0].f1, 4.0 / 7);
    EXPECT_DOUBLE_EQ(out.per_class[0].auc, 7.0 / 9);
    EXPECT_DOUBLE_EQ(out.per_class[1].precision, 0.5);
    EXPECT_DOUBLE_EQ(out.per_class[1].recall, 0.5);
    EXPECT_EQ(out.per_class[2].rows, 0u);
    for (const double figure : {out.per_class[2].precision, out.per_class[2].recall,
                                out.per_class[2].f1, out.per_class[2].auc}) {
        EXPECT_TRUE(std::isnan(figure));
    }
    EXPECT_EQ(out.per_class[3].precision, 0) << "never answered";
    EXPECT_EQ(out.per_class[3].recall, 0);
    EXPECT_EQ(out.per_class[3].f1, 0);
    EXPECT_DOUBLE_EQ(out.per_class[3].auc, 0.5) << "all tied";
    EXPECT_EQ(out.macro.rows, 6u);
    EXPECT_DOUBLE_EQ(out.macro.recall, (2.0 / 3 + 0.5 + 0) / 3);
}

TEST(ClassScores, TooManyProbabilitiesAreNotKept) {
    ClassScores scores(ClassScores::kMaxProbabilities / 4 + 1, 4);
    const std::vector<double> probability(4, 0.25);
    scores.add(0, 0, probability);
    scores.add(1, 1, probability);
    Evaluation out;
    scores.fill(out);
    EXPECT_TRUE(std::isnan(out.per_class[0].auc));
    EXPECT_EQ(out.per_class[0].recall, 1);
}

}  // namespace
}  // namespace bitbayes::learn
