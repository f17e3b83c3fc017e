// The label-noise formulas against long double, with the bounds that the header states.
#include "math/label_noise.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

namespace bitbayes::math {
namespace {

long double exact_phi(long double z, long double eps) {
    return eps + (1 - 2 * eps) * erfcl(-z / std::numbers::sqrt2_v<long double>) / 2;
}

/// Around 1 by its complement.
long double exact_log(long double z, long double eps) {
    return z > 0 ? log1pl(-exact_phi(-z, eps)) : logl(exact_phi(z, eps));
}

long double exact_mills(long double z, long double eps) {
    constexpr long double kPi = std::numbers::pi_v<long double>;
    return (1 - 2 * eps) * expl(-z * z / 2) / sqrtl(2 * kPi) / exact_phi(-z, eps);
}

TEST(LabelNoise, ErrorsStayBelowTheStatedBounds) {
    double worst_log = 0, worst_mills = 0;
    for (const double eps : {1e-12, 1e-4, 0.01, 0.1, 0.45}) {
        for (double z = -37; z <= 37; z += 0.00731) {
            const long double ln = exact_log(z, eps), mills = exact_mills(z, eps);
            worst_log =
                std::max(worst_log, static_cast<double>(std::fabs(log_noisy_phi(z, eps) - ln) /
                                                        (4e-16L + 1e-14L * std::fabs(ln))));
            worst_mills = std::max(
                worst_mills, static_cast<double>(std::fabs(noisy_mills(z, eps) - mills) / mills));
        }
    }
    EXPECT_LT(worst_log, 1);
    EXPECT_LT(worst_mills, 1e-13);
}

TEST(LabelNoise, NoneIsThePapers) {
    for (double z = -50; z < 50; z += 0.037) {
        ASSERT_EQ(log_noisy_phi(z, 0), log_phi(z));
        ASSERT_EQ(noisy_mills(z, 0), inverse_mills(z));
    }
}

TEST(LabelNoise, MillsIsTheSlopeOfTheLogarithm) {
    const double step = 1e-4;
    for (const double eps : {0.0, 1e-3, 0.2}) {
        for (double z = -6; z < 6; z += 0.11) {
            const double slope =
                (log_noisy_phi(z + step, eps) - log_noisy_phi(z - step, eps)) / (2 * step);
            ASSERT_NEAR(noisy_mills(-z, eps), slope, 1e-7) << z << " " << eps;
        }
    }
}

/// A surprise no longer drags: the slope vanishes on both sides, and ln P has the bound ln eps.
TEST(LabelNoise, SurprisesAreBounded) {
    EXPECT_LT(noisy_mills(8, 0.01), 1e-10);
    EXPECT_GT(noisy_mills(8, 0), 8);
    EXPECT_NEAR(log_noisy_phi(-1000, 0.01), std::log(0.01), 1e-15);
    EXPECT_EQ(noisy_mills(1000, 0.01), 0);
    EXPECT_EQ(noisy_mills(-1000, 0.01), 0);
}

}  // namespace
}  // namespace bitbayes::math
