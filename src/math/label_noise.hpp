// A label that is wrong with probability eps, 0 <= eps < 1/2:
//   P(z)     = eps + (1 - 2 eps) Phi(z),      1 - P(z) = P(-z)
//   ln P(z)                                   below z = 0, ln(1 - P(-z)) above
//   d ln P(z) / dz = noisy_mills(-z),
//   noisy_mills(z) = (1 - 2 eps) phi(z) / (eps + (1 - 2 eps) Phi(-z))
// eps = 0: log_phi and inverse_mills. Else, for |z| <= 37, the relative error of noisy_mills is below
// 1e-13 and the error of ln P below 4e-16 + 1e-14 |ln P| (tests/math).
#pragma once

#include <cmath>
#include <numbers>

#include "math/inverse_mills.hpp"
#include "math/log_phi.hpp"

namespace bitbayes::math {

inline double noisy_phi(double z, double eps) {
    return eps + (1 - 2 * eps) * (0.5 * std::erfc(-z / std::numbers::sqrt2));
}

inline double log_noisy_phi(double z, double eps) {
    if (eps == 0) return log_phi(z);
    return z > 0 ? std::log1p(-noisy_phi(-z, eps)) : std::log(noisy_phi(z, eps));
}

inline double noisy_mills(double z, double eps) {
    if (eps == 0) return inverse_mills(z);
    const double phi = std::exp(-0.5 * z * z) * (std::numbers::inv_sqrtpi / std::numbers::sqrt2);
    return (1 - 2 * eps) * phi / noisy_phi(-z, eps);
}

}  // namespace bitbayes::math
