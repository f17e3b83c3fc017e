#include "base/philox.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace bitbayes {
namespace {

using Words = std::array<std::uint32_t, 4>;

Words words(std::uint64_t seed, std::uint32_t purpose, std::uint32_t stream, std::uint64_t index) {
    return Philox(seed, static_cast<Purpose>(purpose), stream).words(index);
}

// The vectors of Random123's kat_vectors: counter (index, purpose, stream), key (seed).
TEST(Philox, KnownAnswers) {
    EXPECT_EQ(words(0, 0, 0, 0), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
    EXPECT_EQ(words(~0ull, ~0u, ~0u, ~0ull),
              (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
    EXPECT_EQ(words(0x299f31d0a4093822, 0x13198a2e, 0x03707344, 0x85a308d3243f6a88),
              (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Philox, SeedPurposeStreamAndIndexAllMatter) {
    std::set<Words> seen;
    for (const std::uint64_t seed : {1ull, 2ull, 1ull << 32}) {
        for (const auto purpose : {Purpose::kPrior, Purpose::kShuffle}) {
            for (const std::uint32_t stream : {0u, 1u}) {
                for (const std::uint64_t index : {0ull, 1ull, 1ull << 32}) {
                    seen.insert(Philox(seed, purpose, stream).words(index));
                }
            }
        }
    }
    EXPECT_EQ(seen.size(), 36u);
}

// The numbers are in every trained model: they must never change.
TEST(Philox, PurposesKeepTheirNumbers) {
    EXPECT_EQ(static_cast<int>(Purpose::kPrior), 1);
    EXPECT_EQ(static_cast<int>(Purpose::kShuffle), 2);
    EXPECT_EQ(static_cast<int>(Purpose::kHoldOut), 3);
    EXPECT_EQ(static_cast<int>(Purpose::kTeacherWeights), 4);
    EXPECT_EQ(static_cast<int>(Purpose::kTeacherTrainInputs), 5);
    EXPECT_EQ(static_cast<int>(Purpose::kTeacherTestInputs), 6);
}

TEST(Philox, UniformIsUniform) {
    const Philox random(7, Purpose::kPrior);
    constexpr int kDraws = 100000;
    double sum = 0, squares = 0;
    for (int i = 0; i < kDraws; ++i) {
        const double u = random.uniform(static_cast<std::uint64_t>(i));
        ASSERT_GE(u, 0);
        ASSERT_LT(u, 1);
        sum += u;
        squares += u * u;
    }
    // Five standard errors of the mean and of the mean square.
    EXPECT_NEAR(sum / kDraws, 1.0 / 2, 5 * std::sqrt(1.0 / 12 / kDraws));
    EXPECT_NEAR(squares / kDraws, 1.0 / 3, 5 * std::sqrt(4.0 / 45 / kDraws));
}

TEST(Philox, BelowStaysBelowAndMeetsEveryValue) {
    const Philox random(3, Purpose::kShuffle);
    for (const std::uint64_t bound : {1ull, 2ull, 7ull, 100ull}) {
        std::set<std::uint64_t> seen;
        for (std::uint64_t i = 0; i < 40 * bound; ++i) seen.insert(random.below(bound, i));
        EXPECT_EQ(seen.size(), bound);
        EXPECT_LT(*seen.rbegin(), bound);
    }
    for (std::uint64_t i = 0; i < 100; ++i) EXPECT_LT(random.below(~0ull, i), ~0ull);
}

TEST(Philox, PermutationIsAPermutation) {
    for (const std::size_t n : {0u, 1u, 2u, 3u, 1000u}) {
        auto order = Philox(5, Purpose::kShuffle, 2).permutation(n);
        EXPECT_EQ(order, Philox(5, Purpose::kShuffle, 2).permutation(n));
        std::sort(order.begin(), order.end());
        ASSERT_EQ(order.size(), n);
        for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(order[i], i);
    }
    EXPECT_NE(Philox(5, Purpose::kShuffle, 2).permutation(1000),
              Philox(5, Purpose::kShuffle, 3).permutation(1000));
    EXPECT_NE(Philox(5, Purpose::kShuffle).permutation(1000),
              Philox(6, Purpose::kShuffle).permutation(1000));
}

// Each of the six orders of three things comes up about equally often.
TEST(Philox, PermutationsAreEquallyLikely) {
    std::array<int, 6> count{};
    constexpr int kDraws = 6000;
    for (std::uint32_t stream = 0; stream < kDraws; ++stream) {
        const auto order = Philox(1, Purpose::kShuffle, stream).permutation(3);
        ++count[2 * order[0] + (order[1] > order[2])];
    }
    for (const int c : count) EXPECT_NEAR(c, kDraws / 6, 5 * std::sqrt(kDraws * 5.0 / 36));
}

}  // namespace
}  // namespace bitbayes
