// ln Phi(z), Phi the standard normal distribution function.
//
//   z > 0:         log1p(-erfc(z / sqrt 2) / 2)
//   -30 < z <= 0:  log(erfc(-z / sqrt 2) / 2)
//   z <= -30:      -z^2/2 - ln(-z sqrt(2 pi)) + ln(1 - 1/z^2 + 3/z^4 - 15/z^6 + 105/z^8 - 945/z^10)
//
// Relative error at most 4 eps for -1e8 <= z <= 0 and (4 + 2 z^2) eps for 0 < z <= 37, where
// Phi(-z) is a normal double; 0 from z = 39 on. eps = 2^-52; tests/math/log_phi_test.cpp holds the
// bounds.
#pragma once

#include <cmath>

namespace bitbayes::math {

inline double log_phi(double z) {
    constexpr double kSqrtHalf = 0.70710678118654752440;
    constexpr double kLogSqrtTwoPi = 0.91893853320467274178;
    if (z > 0) return std::log1p(-0.5 * std::erfc(z * kSqrtHalf));
    if (z > -30) return std::log(0.5 * std::erfc(-z * kSqrtHalf));
    const double t = 1 / (z * z);
    const double series = -t * (1 - t * (3 - t * (15 - t * (105 - t * 945))));
    return -0.5 * z * z - kLogSqrtTwoPi - std::log(-z) + std::log1p(series);
}

}  // namespace bitbayes::math
