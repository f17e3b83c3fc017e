#include "math/log_phi.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace bitbayes::math {
namespace {

constexpr double kEps = 0x1p-52;

// Phi(-x) = phi(x) / (x + 1/(x + 2/(x + 3/(x + ...)))), in long double.
long double log_lower_tail(long double x) {
    long double fraction = x;
    for (int k = 200; k > 0; --k) fraction = x + k / fraction;
    return -x * x / 2 - 0.918938533204672741780329736405617640L - std::log(fraction);
}

long double reference(long double z) {
    const long double root_half = std::sqrt(0.5L);
    if (z > 0) return std::log1p(-std::erfc(z * root_half) / 2);
    if (z > -8) return std::log(std::erfc(-z * root_half) / 2);
    return log_lower_tail(-z);
}

double relative_error(double z) {
    const long double expected = reference(z);
    return static_cast<double>(std::fabs((log_phi(z) - expected) / expected));
}

TEST(LogPhi, MeetsItsBoundBelowZero) {
    for (double z = 0; z > -60; z -= 0.00917) EXPECT_LE(relative_error(z), 4 * kEps) << z;
    for (double z = -60; z > -1.01e8; z *= 1.0113) EXPECT_LE(relative_error(z), 4 * kEps) << z;
}

TEST(LogPhi, MeetsItsBoundAboveZero) {
    for (double z = 0.001; z <= 37; z += 0.00731) {
        EXPECT_LE(relative_error(z), (4 + 2 * z * z) * kEps) << z;
    }
}

TEST(LogPhi, KnownValues) {
    EXPECT_DOUBLE_EQ(log_phi(0), std::log(0.5));
    EXPECT_NEAR(log_phi(-1), -1.8410216450092635, 1e-15);
    EXPECT_NEAR(log_phi(1), -0.17275377902344988, 1e-16);
    EXPECT_EQ(log_phi(40), 0);
    EXPECT_EQ(log_phi(1e8), 0);
}

TEST(LogPhi, RisesAcrossItsBranches) {
    double before = log_phi(-40);
    for (double z = -39.99; z < 8; z += 0.01) {
        const double now = log_phi(z);
        EXPECT_GT(now, before) << z;
        before = now;
    }
}

}  // namespace
}  // namespace bitbayes::math
