// The float functions of the kernels against double, with the bounds that lane_math-inl.hpp states.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>

#include <gtest/gtest.h>

#include "base/aligned.hpp"
#include "kernels/table.hpp"
#include "math/label_noise.hpp"

namespace bitbayes::kernels {
namespace {

// The order matters.
// clang-format off
#include "kernels/lanes_scalar-inl.hpp"
#include "kernels/lane_math-inl.hpp"
// clang-format on

struct Case {
    const char* name;
    Lanes (*function)(Lanes);
    double (*exact)(double);
    float low, high;
    double bound;  // relative
};

const Case kCases[] = {
    {"exp_nonpositive", exp_nonpositive, [](double x) { return std::exp(x); }, -87.0f, -1e-30f,
     2.5e-7},
    {"tanh", tanh, [](double x) { return std::tanh(x); }, 1e-30f, 100.0f, 3e-7},
    {"SmallTanh", [](Lanes y) { return SmallTanh(1)(y); }, [](double x) { return std::tanh(x); },
     1e-30f, kSmallTanh, 7e-7},
    {"SmallExp, d > 0", [](Lanes d) { return SmallExp(Lanes(1.0f))(d); },
     [](double x) { return std::exp(x); }, 1e-30f, kSmallExp, 7e-7},
    {"SmallExp, d < 0", [](Lanes d) { return SmallExp(Lanes(1.0f))(d); },
     [](double x) { return std::exp(x); }, -kSmallExp, -1e-30f, 7e-7},
    {"weight_mean", weight_mean, [](double x) { return std::tanh(x); }, 1e-30f, 100.0f, 3e-7},
    {"mills", mills, [](double x) { return 1 / math::inverse_mills(x); }, 1e-6f, 1e18f, 4e-7},
    {"inverse_mills, z > 0", inverse_mills, [](double x) { return math::inverse_mills(x); }, 1e-6f,
     1e18f, 5e-7},
    {"inverse_mills, z < 0", inverse_mills, [](double x) { return math::inverse_mills(x); }, -9.0f,
     -1e-6f, 3e-6},
    {"noisy_mills, eps 0.1, z > 0", [](Lanes z) { return noisy_mills(z, Lanes(0.1f)); },
     [](double z) { return math::noisy_mills(z, 0.1f); }, 1e-6f, 12.9f, 6e-6},
    {"noisy_mills, eps 0.1, z < 0", [](Lanes z) { return noisy_mills(z, Lanes(0.1f)); },
     [](double z) { return math::noisy_mills(z, 0.1f); }, -12.9f, -1e-6f, 6e-6},
    {"noisy_mills, eps 1e-4, z > 0", [](Lanes z) { return noisy_mills(z, Lanes(1e-4f)); },
     [](double z) { return math::noisy_mills(z, 1e-4f); }, 1e-6f, 12.9f, 6e-6},
    {"noisy_mills, eps 1e-12, z > 0", [](Lanes z) { return noisy_mills(z, Lanes(1e-12f)); },
     [](double z) { return math::noisy_mills(z, 1e-12f); }, 1e-6f, 12.9f, 6e-6},
    {"sign_mean", sign_mean, [](double x) { return std::erf(x / std::sqrt(2)); }, 1e-30f, 1e18f,
     4e-7},
};

TEST(LaneMath, WithoutTinyKeepsAllButTheTiny) {
    const auto kept = [](float x) { return without_tiny(Lanes(x)).v[0]; };
    for (const float sign : {1.0f, -1.0f}) {
        for (const float x : {kTiny, 1e-20f, 1.0f, 3e38f}) EXPECT_EQ(kept(sign * x), sign * x);
        for (const float x : {0.0f, 1e-45f, 1e-38f, std::nextafter(kTiny, 0.0f)})
            EXPECT_EQ(kept(sign * x), 0.0f);
        EXPECT_TRUE(std::isnan(kept(std::copysign(NAN, sign))));  // so that learners notice
    }
}

TEST(LaneMath, ErrorsStayBelowTheStatedBounds) {
    for (const Case& c : kCases) {
        double worst = 0;
        float at = 0;
        // Every 9973rd float of the range.
        const auto key = [](float x) { return std::bit_cast<std::int32_t>(std::fabs(x)); };
        const auto from = std::min(key(c.low), key(c.high)), to = std::max(key(c.low), key(c.high));
        for (std::int64_t bits = from; bits <= to; bits += 9973) {
            const float x =
                std::copysign(std::bit_cast<float>(static_cast<std::int32_t>(bits)), c.low);
            const double expected = c.exact(x);
            const double error =
                std::fabs(c.function(Lanes(x)).v[0] - expected) / std::fabs(expected);
            if (error > worst) worst = error, at = x;
        }
        std::printf("%-22s worst relative error %.2g at %g (bound %.2g)\n", c.name, worst, at,
                    c.bound);
        EXPECT_LT(worst, c.bound) << c.name << " at " << at;
    }
}

TEST(LaneMath, OddFunctionsAreOddAndBounded) {
    for (float x = 0; x < 30; x += 0.0137f) {
        for (const auto f : {tanh, weight_mean, sign_mean}) {
            const float plus = f(Lanes(x)).v[0], minus = f(Lanes(-x)).v[0];
            ASSERT_EQ(plus, -minus) << x;
            ASSERT_LE(plus, 1) << x;
        }
    }
    EXPECT_EQ(tanh(Lanes(0.0f)).v[0], 0);
    EXPECT_EQ(sign_mean(Lanes(0.0f)).v[0], 0);
    EXPECT_EQ(tanh(Lanes(15.0f)).v[0], 1);
    EXPECT_EQ(sign_mean(Lanes(1e30f)).v[0], 1);
}

TEST(LaneMath, MovedMeanStaysBelowItsBoundAndInRange) {
    double worst = 0;
    for (float h = 0; h < 12; h += 0.0037f) {
        const float w = weight_mean(Lanes(h)).v[0];
        for (float dh = -kMaxMove; dh <= kMaxMove; dh += kMaxMove / 16) {
            const float moved = moved_mean(Lanes(w), Lanes(dh)).v[0];
            worst = std::max(worst, std::fabs(moved - std::tanh(std::atanh(double{w}) + dh)));
            ASSERT_LE(std::fabs(moved), 1) << h;
            ASSERT_EQ(moved_mean(Lanes(-w), Lanes(-dh)).v[0], -moved) << h;
        }
    }
    std::printf("moved_mean: worst error %.2g\n", worst);
    EXPECT_LT(worst, 2.5e-7);
    // The floats next to 1, where rounding could leave the range; 1 itself stays.
    for (float w = 1; w > 0.9999f; w = std::nextafter(w, 0.0f)) {
        for (const float dh : {-kMaxMove, kMaxMove}) {
            const float moved = moved_mean(Lanes(w), Lanes(dh)).v[0];
            ASSERT_LE(moved, 1);
            if (w == 1) {
                ASSERT_EQ(moved, 1);
            }
        }
    }
}

TEST(LaneMath, WeightMeanDependsOnItsOwnLaneOnly) {
    Lanes mixed(0.0f);
    for (std::size_t k = 0; k < kLanes; ++k) mixed.v[k] = 0.2f * static_cast<float>(k) - 1.3f;
    const Lanes together = weight_mean(mixed);
    for (std::size_t k = 0; k < kLanes; ++k) {
        EXPECT_EQ(together.v[k], weight_mean(Lanes(mixed.v[k])).v[k]);
    }
}

TEST(LaneMath, ExtremesStayFinite) {
    const float huge = 1e30f;
    for (const float x : {-huge, -1e20f, -100.0f, 100.0f, 1e20f, huge}) {
        EXPECT_TRUE(std::isfinite(tanh(Lanes(x)).v[0])) << x;
        EXPECT_TRUE(std::isfinite(inverse_mills(Lanes(x)).v[0])) << x;
        EXPECT_TRUE(std::isfinite(sign_mean(Lanes(x)).v[0])) << x;
        EXPECT_TRUE(std::isfinite(noisy_mills(Lanes(x), Lanes(1e-40f)).v[0])) << x;
        EXPECT_LT(noisy_mills(Lanes(x), Lanes(1e-4f)).v[0], 1e-30f) << x;
        EXPECT_TRUE(std::isfinite(exp_nonpositive(Lanes(-std::fabs(x))).v[0])) << x;
    }
    EXPECT_LT(inverse_mills(Lanes(-20.0f)).v[0], 1e-30);
}

}  // namespace
}  // namespace bitbayes::kernels
