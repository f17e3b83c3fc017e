#include "math/ceil_sum.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

namespace bitbayes::math {
namespace {

TEST(CeilSum, IsThatOfTheExactSum) {
    EXPECT_EQ(ceil_sum(std::vector<double>{}), 0);
    EXPECT_EQ(ceil_sum(std::vector<double>{2}), 2);
    EXPECT_EQ(ceil_sum(std::vector<double>{2, 0x1p-1000}), 3);
    EXPECT_EQ(ceil_sum(std::vector<double>{2, -0x1p-1000}), 2);
    EXPECT_EQ(ceil_sum(std::vector<double>{-2, 0x1p-60}), -1);
    EXPECT_EQ(ceil_sum(std::vector<double>{0x1p-70, 5, -5, -0x1p-70}), 0);
    EXPECT_EQ(ceil_sum(std::vector<double>{1e15, 0.5, -1e15}), 1);
    EXPECT_EQ(ceil_sum(std::vector<double>{-0.25, 0.25}), 0);
}

/// Multiples of 2^-50 add up exactly in 64 bits; many sums are whole or next to it.
TEST(CeilSum, AgreesWithWholeNumbers) {
    std::mt19937_64 random(1);
    std::size_t whole = 0;
    for (int trial = 0; trial < 2000; ++trial) {
        std::vector<double> values;
        std::int64_t sum = 0;
        for (int k = 0; k < 40; ++k) {
            const auto x = static_cast<std::int64_t>(random() >> 14) - (std::int64_t{1} << 49);
            values.push_back(static_cast<double>(x) * 0x1p-50);
            sum += x;
        }
        const std::int64_t one = std::int64_t{1} << 50;
        const std::int64_t rest = ((sum % one) + one) % one, wanted = trial % 3 - 1;
        values.push_back(static_cast<double>(wanted - rest) * 0x1p-50);
        sum += wanted - rest;
        whole += sum % one == 0;
        const std::int64_t floor = (sum - (((sum % one) + one) % one)) / one;
        EXPECT_EQ(ceil_sum(values), static_cast<double>(floor + (sum % one != 0 ? 1 : 0)));
    }
    EXPECT_GT(whole, 600u);
}

}  // namespace
}  // namespace bitbayes::math
