// G of the output layer with the asymptotic branch that the paper prints, which lacks the factor y
// (an erratum of the paper): to show what the missing factor does.
//   G_ij = -2 mu_i(j) / (sigma2_i sqrt K) theta(-y_i mu_i(j))   where N / Phi is not a number
#pragma once

#include <cmath>
#include <numbers>

#include "core/layer.hpp"

namespace bitbayes::core {

inline double printed_gain(const LayerView& layer, double mu_cav, double sigma2,
                           const Target& target) {
    const double root_K = std::sqrt(static_cast<double>(layer.K)), sigma = std::sqrt(sigma2);
    const double z = mu_cav / sigma, y = target.y;
    const double N =
        std::exp(-0.5 * z * z) * (std::numbers::inv_sqrtpi / std::numbers::sqrt2) / sigma;
    const double G = 2 / root_K * N / (0.5 * std::erfc(-y * z / std::numbers::sqrt2));
    if (std::isfinite(G)) return G;
    return y * mu_cav < 0 ? -2 * mu_cav / (sigma2 * root_K) : 0;
}

}  // namespace bitbayes::core
