// Each formula against long double, with the bounds that its header states.
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "math/inverse_mills.hpp"
#include "math/sech2.hpp"
#include "math/sign_moments.hpp"

namespace bitbayes::math {
namespace {

long double relative(long double got, long double expected) {
    return std::fabs(got - expected) / std::fabs(expected);
}

// phi/Phi(-z) from erfcl up to z = 14, from 400 terms of the continued fraction above.
long double exact_inverse_mills(long double z) {
    constexpr long double kPi = std::numbers::pi_v<long double>;
    if (z < 14) return expl(-z * z / 2) / sqrtl(2 * kPi) / (erfcl(z / sqrtl(2)) / 2);
    long double tail = z;
    for (int n = 400; n > 0; --n) tail = z + n / tail;
    return tail;
}

TEST(InverseMills, IsAccurateFromMinus37To1e8) {
    double worst = 0;
    for (double z = -37; z < 40; z += 0.00731) {
        worst = std::max(worst,
                         static_cast<double>(relative(inverse_mills(z), exact_inverse_mills(z))));
    }
    for (double z = 40; z <= 1e8; z *= 1.01) {
        worst = std::max(worst,
                         static_cast<double>(relative(inverse_mills(z), exact_inverse_mills(z))));
    }
    EXPECT_LT(worst, 1e-13);
}

TEST(InverseMills, IsFiniteMonotoneAndVanishesAtMinus40) {
    double before = -1;
    for (double z = -40; z < 40; z += 0.01) {
        const double now = inverse_mills(z);
        ASSERT_TRUE(std::isfinite(now)) << z;
        ASSERT_GE(now, before) << z;
        before = now;
    }
    EXPECT_EQ(inverse_mills(-40), 0);
    EXPECT_TRUE(std::isfinite(inverse_mills(1e8)));
    EXPECT_DOUBLE_EQ(inverse_mills(0), std::sqrt(2 / std::numbers::pi));
}

TEST(InverseMills, GrowsLikeZ) {
    EXPECT_NEAR(inverse_mills(1e8) / 1e8, 1, 1e-15);
    EXPECT_NEAR(inverse_mills(100), 100 + 1 / 100.0, 1e-5);
}

TEST(Sech2, IsAccurateAndNeverOverflows) {
    for (double h = -300; h <= 300; h += 0.0173) {
        const long double c = coshl(h);
        ASSERT_LT(relative(sech2(h), 1 / (c * c)), 1e-15 + std::fabs(h) * 2.3e-16) << h;
    }
    EXPECT_EQ(sech2(0), 1);
    EXPECT_EQ(sech2(1e6), 0);
}

TEST(SignMoments, MeanAndVarianceWithoutCancellation) {
    for (double z = -20; z <= 20; z += 0.0137) {
        const double sigma2 = 0.3;
        const auto v = sign_moments(z * std::sqrt(sigma2), sigma2);
        const long double t = static_cast<long double>(z) / sqrtl(2);
        ASSERT_LT(std::fabs(v.mean - erfl(t)), 1e-15) << z;
        const long double q = erfcl(std::fabs(t));
        ASSERT_LT(relative(v.variance, q * (2 - q)), 1e-15 * (4 + z * z)) << z;
    }
    EXPECT_EQ(sign_moments(0, 1).mean, 0);
    EXPECT_EQ(sign_moments(0, 1).variance, 1);
}

}  // namespace
}  // namespace bitbayes::math
