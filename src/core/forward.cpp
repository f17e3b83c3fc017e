// Algorithm 1, forward phase of one layer. Twin: kernels/tree_kernels-inl.hpp
//   mu_i     = 1/sqrt(K) sum_j tanh(h_ij) nu_j
//   sigma2_i = 1/K sum_j [ (1 - nu_j^2)[l > 1] + nu_j^2 sech^2(h_ij) + eps ]
//   nu_i     = 2 Phi(mu_i / sigma_i) - 1
#include <cmath>

#include "core/step.hpp"
#include "math/sech2.hpp"
#include "math/sign_moments.hpp"

namespace bitbayes::core {

void forward_layer(const LayerView& layer, std::span<const double> nu,
                   std::span<const double> variance, const LayerTrace& out) {
    const auto K = static_cast<double>(layer.K);
    for (std::size_t i = 0; i < layer.V; ++i) {
        const auto h_i = layer.row(i);
        const auto nu_i = layer.inputs_of(i, nu);
        double sum_mean = 0, sum_var = 0;
        for (std::size_t j = 0; j < layer.K; ++j) {
            sum_mean += std::tanh(h_i[j]) * nu_i[j];
            sum_var += nu_i[j] * nu_i[j] * math::sech2(h_i[j]) + kEps;
            if (!layer.first) sum_var += layer.inputs_of(i, variance)[j];
        }
        out.mu[i] = sum_mean / std::sqrt(K);
        out.sigma2[i] = sum_var / K;
        const auto v = math::sign_moments(out.mu[i], out.sigma2[i]);
        out.nu[i] = v.mean;
        out.variance[i] = v.variance;
    }
}

void clipped_layer(const LayerView& layer, std::span<const double> v, std::span<double> out) {
    for (std::size_t i = 0; i < layer.V; ++i) {
        const auto h_i = layer.row(i);
        const auto v_i = layer.inputs_of(i, v);
        double u = 0;
        for (std::size_t j = 0; j < layer.K; ++j) u += h_i[j] >= 0 ? v_i[j] : -v_i[j];
        out[i] = u >= 0 ? 1 : -1;
    }
}

}  // namespace bitbayes::core
