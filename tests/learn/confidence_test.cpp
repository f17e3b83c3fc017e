#include "learn/confidence.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace bitbayes::learn {
namespace {

using Right = std::vector<std::uint32_t>;

TEST(Reliability, BinsByHand) {
    Reliability reliability;
    reliability.add(0.61, false);
    reliability.add(0.65, true);
    reliability.add(0.67, true);
    reliability.add(1, true);
    const auto bins = reliability.bins();
    ASSERT_EQ(bins.size(), 15u);
    EXPECT_EQ(bins[0].rows, 0u);
    EXPECT_TRUE(std::isnan(bins[0].confidence) && std::isnan(bins[0].accuracy));
    EXPECT_DOUBLE_EQ(bins[9].low, 9.0 / 15);
    EXPECT_DOUBLE_EQ(bins[9].high, 10.0 / 15);
    EXPECT_EQ(bins[9].rows, 2u);
    EXPECT_DOUBLE_EQ(bins[9].confidence, 0.63);
    EXPECT_DOUBLE_EQ(bins[9].accuracy, 0.5);
    EXPECT_EQ(bins[10].rows, 1u);
    EXPECT_EQ(bins[14].rows, 1u) << "1 is in the last bin";
    EXPECT_NEAR(reliability.expected_error(), (0.26 + 0.33 + 0) / 4, 1e-12);
    reliability.add(NAN, true);
    EXPECT_TRUE(std::isnan(reliability.expected_error()));
}

// By falling confidence: right, wrong, right, wrong.
TEST(RiskCoverage, FourRowsByHand) {
    const auto result = risk_coverage(std::vector{0.6, 0.9, 0.7, 0.8}, Right{0, 1, 1, 0});
    ASSERT_EQ(result.curve.size(), 4u);
    const double risks[] = {0, 1.0 / 2, 1.0 / 3, 2.0 / 4};
    for (std::size_t k = 0; k < 4; ++k) {
        EXPECT_DOUBLE_EQ(result.curve[k].coverage, static_cast<double>(k + 1) / 4);
        EXPECT_DOUBLE_EQ(result.curve[k].risk, risks[k]);
    }
    EXPECT_DOUBLE_EQ(result.area, (0 + 1.0 / 2 + 1.0 / 3 + 2.0 / 4) / 4);
}

TEST(RiskCoverage, TiesShareTheirErrors) {
    const std::vector confidence{0.9, 0.9, 0.5, 0.9, 0.9};
    for (const Right& right : {Right{1, 1, 0, 0, 1}, Right{0, 1, 0, 1, 1}}) {
        const auto result = risk_coverage(confidence, right);
        ASSERT_EQ(result.curve.size(), 5u);
        for (std::size_t k = 0; k < 4; ++k) EXPECT_DOUBLE_EQ(result.curve[k].risk, 0.25);
        EXPECT_DOUBLE_EQ(result.curve[4].risk, 0.4);
        EXPECT_DOUBLE_EQ(result.area, (4 * 0.25 + 0.4) / 5);
    }
}

TEST(RiskCoverage, AllRightAllWrongNoneAndNaN) {
    const std::vector confidence{0.9, 0.5, 0.7};
    EXPECT_EQ(risk_coverage(confidence, Right{1, 1, 1}).area, 0);
    EXPECT_DOUBLE_EQ(risk_coverage(confidence, Right{0, 0, 0}).area, 1);
    EXPECT_EQ(risk_coverage(std::vector{0.5}, Right{0}).curve.size(), 1u);
    for (const auto& result :
         {risk_coverage({}, {}), risk_coverage(std::vector{0.9, double{NAN}}, Right{1, 0})}) {
        EXPECT_TRUE(result.curve.empty());
        EXPECT_TRUE(std::isnan(result.area));
    }
}

TEST(RiskCoverage, CurveOfManyRowsHasAHundredPoints) {
    std::mt19937 engine(1);
    for (const std::size_t rows : {99u, 100u, 101u, 250u, 1234u}) {
        std::vector<double> confidence;
        Right right;
        double errors = 0;
        for (std::size_t r = 0; r < rows; ++r) {
            confidence.push_back(static_cast<double>(engine() % 50));
            right.push_back(engine() % 4 != 0);
            errors += 1 - right.back();
        }
        const auto curve = risk_coverage(confidence, right).curve;
        ASSERT_EQ(curve.size(), std::min<std::size_t>(rows, 100));
        EXPECT_EQ(curve.back().coverage, 1);
        EXPECT_NEAR(curve.back().risk, errors / static_cast<double>(rows), 1e-12);
        for (std::size_t k = 0; k < curve.size(); ++k) {
            EXPECT_NEAR(curve[k].coverage,
                        static_cast<double>(k + 1) / static_cast<double>(curve.size()),
                        1.0 / static_cast<double>(rows));
        }
    }
}

}  // namespace
}  // namespace bitbayes::learn
