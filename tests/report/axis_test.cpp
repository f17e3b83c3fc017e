#include "report/axis.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace bitbayes::report {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

Axis linear(std::optional<double> low = {}, std::optional<double> high = {}) {
    return {"", Scale::kLinear, low, high, false};
}
Axis log(std::optional<double> low = {}, std::optional<double> high = {}) {
    return {"", Scale::kLog, low, high, false};
}

TEST(AxisMap, FixedEndsStay) {
    const AxisMap map(linear(0, 0.1), std::vector{0.02, 0.5});
    EXPECT_DOUBLE_EQ(map.place(0.05).value(), 0.5);
    EXPECT_DOUBLE_EQ(map.place(0.5).value(), 5);
    EXPECT_TRUE(map.contains(0.1));
    EXPECT_FALSE(map.contains(0.5));
    EXPECT_EQ(map.low(), 0);
    EXPECT_EQ(map.high(), 0.1);
}

TEST(AxisMap, NamesStandAtWholeNumbers) {
    Axis axis{"option", Scale::kLog, {}, {}, false, {"auto", "15,9"}};
    const AxisMap map(axis, std::vector{0.0, 1.0});
    EXPECT_DOUBLE_EQ(*map.place(0), 0.25);
    EXPECT_DOUBLE_EQ(*map.place(1), 0.75);
    const auto ticks = map.ticks(9);
    ASSERT_EQ(ticks.size(), 2u);
    EXPECT_EQ(ticks[1].label, "15,9");
    EXPECT_EQ(ticks[1].value, 1);
}

std::vector<std::string> labels_of(const AxisMap& map, std::size_t max_ticks) {
    std::vector<std::string> labels;
    for (const Tick& tick : map.ticks(max_ticks)) {
        if (tick.major) labels.push_back(tick.label);
    }
    return labels;
}

TEST(AxisMap, WholeNumbersHaveWholeTicks) {
    using Labels = std::vector<std::string>;
    Axis axis{"seed", Scale::kLinear, {}, {}, false, {}, true};
    const AxisMap few(axis, std::vector{2.0, 1.0, 2.0});
    EXPECT_EQ(labels_of(few, 9), (Labels{"1", "2"}));
    EXPECT_GT(few.low(), 0.5);
    EXPECT_EQ(labels_of(AxisMap(axis, std::vector{4294967295.0}), 9), (Labels{"4294967295"}));
    EXPECT_EQ(labels_of(AxisMap(axis, std::vector{1.0, 2.0, 3.0, 4.0}), 3), (Labels{"2", "4"}));
    std::vector<double> many;
    for (int i = 1; i <= 30; ++i) many.push_back(i);
    EXPECT_EQ(labels_of(AxisMap(axis, many), 9), (Labels{"5", "10", "15", "20", "25", "30"}));
    axis.scale = Scale::kLog;
    EXPECT_EQ(labels_of(AxisMap(axis, std::vector{1.0, 30.0, 100.0}), 9),
              (Labels{"1", "30", "100"}));
}

TEST(AxisMap, DotsHaveRoomBelowTheTop) {
    const std::vector values{0.05, 0.1};  // close together, and drawn from 0
    const AxisMap map({"", Scale::kLinear, {}, {}, true}, values);
    EXPECT_EQ(map.low(), 0);
    EXPECT_LT(*map.place(0.1), 0.965);
}

TEST(AxisMap, OpenEndsGoAroundTheData) {
    const AxisMap from_zero(linear(), std::vector{1.0, 30.0});
    EXPECT_EQ(from_zero.low(), 0);
    EXPECT_GT(from_zero.high(), 30);
    const AxisMap apart(linear(), std::vector{100.0, 110.0});
    EXPECT_GT(apart.low(), 90);
    const AxisMap percent({"", Scale::kLinear, {}, {}, true}, std::vector{0.2, 1.0});
    EXPECT_EQ(percent.high(), 1);
}

TEST(AxisMap, LogIsEvenInDecades) {
    const AxisMap map(log(0.01, 1), std::vector{0.1});
    EXPECT_DOUBLE_EQ(map.place(0.1).value(), 0.5);
    EXPECT_FALSE(map.has_zero_line());
    EXPECT_FALSE(map.place(0).has_value());
    EXPECT_FALSE(map.place(-1).has_value());
}

TEST(AxisMap, ZeroOnALogAxisStandsBelowTheDecades) {
    const AxisMap map(log(0.01, 1), std::vector{0.0, 0.1});
    ASSERT_TRUE(map.has_zero_line());
    EXPECT_GT(map.place(0).value(), 0);
    EXPECT_GT(map.place(0.01).value(), map.place(0).value());
    EXPECT_DOUBLE_EQ(map.place(1).value(), 1);
    EXPECT_TRUE(map.contains(0));
    EXPECT_EQ(map.ticks(9).front().label, "0");
}

TEST(AxisMap, PlacesAreFiniteWhateverTheData) {
    const std::vector<double> odd = {kNan,   kInf,   -kInf, 0,         -0.0, 1e308, -1e308,
                                     5e-324, 1e-200, 1,     1 + 1e-15, -1,   1e150};
    std::mt19937 random(3);
    for (int trial = 0; trial < 20000; ++trial) {
        std::vector<double> values(random() % 4);
        for (double& value : values) value = odd[random() % odd.size()];
        Axis axis = trial % 2 == 0 ? linear() : log();
        if (random() % 3 == 0) axis.low = odd[random() % odd.size()];
        if (random() % 3 == 0) axis.high = odd[random() % odd.size()];
        const AxisMap map(axis, values);
        ASSERT_LT(map.low(), map.high());
        for (const double value : odd) {
            const auto place = map.place(value);
            if (place) {
                ASSERT_TRUE(std::isfinite(*place));
            }
        }
        const auto ticks = map.ticks(7);
        ASSERT_GE(ticks.size(), 3);
        for (const Tick& tick : ticks) ASSERT_TRUE(map.place(tick.value).has_value());
    }
}

}  // namespace
}  // namespace bitbayes::report
