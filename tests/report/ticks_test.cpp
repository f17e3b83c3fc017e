#include "report/ticks.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>

namespace bitbayes::report {
namespace {

std::vector<std::string> labels_of(const std::vector<Tick>& ticks) {
    std::vector<std::string> labels;
    for (const Tick& tick : ticks)
        if (tick.major) labels.push_back(tick.label);
    return labels;
}

void expect_good(const std::vector<Tick>& ticks, double low, double high) {
    std::set<std::string> labels;
    double last = -INFINITY;
    std::size_t majors = 0;
    for (const Tick& tick : ticks) {
        EXPECT_GE(tick.value, low);
        EXPECT_LE(tick.value, high);
        if (!tick.major) continue;
        ++majors;
        EXPECT_GT(tick.value, last);
        last = tick.value;
        EXPECT_TRUE(labels.insert(tick.label).second) << tick.label << " twice";
    }
    EXPECT_GE(majors, 3);
    EXPECT_LE(majors, 10);
}

TEST(Ticks, AreAFewInsideAnyLinearRange) {
    std::mt19937 random(1);
    std::uniform_real_distribution<double> exponent(-12, 12), sign(-1, 1);
    for (int trial = 0; trial < 20000; ++trial) {
        const double low = sign(random) * std::pow(10, exponent(random));
        const double span = std::fmax(std::pow(10, exponent(random)), 1e-6 * std::fabs(low));
        SCOPED_TRACE(testing::Message() << low << " + " << span);
        for (const bool percent : {false, true})
            for (const std::size_t max_ticks : {7, 8, 9, 10})
                expect_good(linear_ticks(low, low + span, max_ticks, percent), low, low + span);
        if (HasFailure()) return;
    }
}

TEST(Ticks, AreAFewInsideAnyLogRange) {
    std::mt19937 random(2);
    std::uniform_real_distribution<double> exponent(-20, 20), decades(std::log10(1.1), 30);
    for (int trial = 0; trial < 20000; ++trial) {
        const double low = std::pow(10, exponent(random));
        const double high =
            low * std::pow(10, trial % 2 == 0 ? decades(random) : decades(random) / 20 + 0.04);
        SCOPED_TRACE(testing::Message() << low << " .. " << high);
        for (const bool percent : {false, true})
            expect_good(log_ticks(low, high, 10, percent), low, high);
        if (HasFailure()) return;
    }
}

TEST(Ticks, HaveShortLabels) {
    using Labels = std::vector<std::string>;
    EXPECT_EQ(labels_of(linear_ticks(0, 0.1, 7, true)),
              (Labels{"0\u00a0%", "2\u00a0%", "4\u00a0%", "6\u00a0%", "8\u00a0%", "10\u00a0%"}));
    EXPECT_EQ(labels_of(linear_ticks(0, 0.01, 5, true)),
              (Labels{"0\u00a0%", "0.25\u00a0%", "0.50\u00a0%", "0.75\u00a0%", "1.00\u00a0%"}));
    EXPECT_EQ(labels_of(linear_ticks(0, 200000, 5, false)),
              (Labels{"0", "50k", "100k", "150k", "200k"}));
    EXPECT_EQ(labels_of(linear_ticks(-1, 1, 5, false)),
              (Labels{"\u22121.0", "\u22120.5", "0", "0.5", "1.0"}));
    EXPECT_EQ(
        labels_of(linear_ticks(0, 3e-7, 7, false)),
        (Labels{"0", "0.5×10⁻⁷", "1.0×10⁻⁷", "1.5×10⁻⁷", "2.0×10⁻⁷", "2.5×10⁻⁷", "3.0×10⁻⁷"}));
    EXPECT_EQ(labels_of(log_ticks(1e-6, 1, 9, false)),
              (Labels{"10⁻⁶", "10⁻⁵", "0.0001", "0.001", "0.01", "0.1", "1"}));
    EXPECT_EQ(labels_of(log_ticks(3, 101, 9, false)), (Labels{"5", "10", "20", "50", "100"}));
    EXPECT_EQ(labels_of(log_ticks(0.001, 1, 9, true)),
              (Labels{"0.1\u00a0%", "1\u00a0%", "10\u00a0%", "100\u00a0%"}));
    EXPECT_EQ(labels_of(log_ticks(1000, 1e7, 9, false)),
              (Labels{"1000", "10k", "100k", "1M", "10M"}));
}

TEST(Ticks, MinorOnesFillTheDecades) {
    const auto ticks = log_ticks(1, 1000, 9, false);
    std::size_t minor = 0;
    for (const Tick& tick : ticks) minor += !tick.major && tick.label.empty();
    EXPECT_EQ(minor, 3 * 8);
    EXPECT_EQ(labels_of(ticks).size(), 4);
}

TEST(Ticks, ValuesOfTooltipsHaveSixDigits) {
    EXPECT_EQ(format_value(200000, false), "200000");
    EXPECT_EQ(format_value(0.0468, true), "4.68\u00a0%");
    EXPECT_EQ(format_value(-1.5, false), "\u22121.5");
}

}  // namespace
}  // namespace bitbayes::report
