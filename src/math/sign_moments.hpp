// For u ~ N(mu, sigma2) and v = sign u:
//   <v>    = 2 Phi(mu / sigma) - 1 = erf(t),            t = mu / sqrt(2 sigma2)
//   Var v  = 1 - <v>^2 = erfc(|t|) (2 - erfc(|t|))      without the cancellation of 1 - <v>^2
// Both to a few units in the last place (tests/math).
#pragma once

#include <cmath>

namespace bitbayes::math {

struct SignMoments {
    double mean, variance;
};

inline SignMoments sign_moments(double mu, double sigma2) {
    const double t = mu / std::sqrt(2 * sigma2);
    const double q = std::erfc(std::fabs(t));
    return {std::erf(t), q * (2 - q)};
}

}  // namespace bitbayes::math
