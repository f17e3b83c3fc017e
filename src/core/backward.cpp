// Algorithm 1, backward phase of one layer, and the update. Twin: kernels/tree_kernels-inl.hpp
//   mu_i(j) = mu_i - 1/sqrt(K) tanh(h_ij) nu_j
//   G_ij    = 2/sqrt(K) N(0 | mu_i(j), sigma2_i)                               l < L
//   G_ij    = 2/sqrt(K) N(0 | mu_i(j), sigma2_i) / Phi(y_i mu_i(j) / sigma_i)  l = L
//             with label noise, (1 - 2 eps) N / (eps + (1 - 2 eps) Phi)
//   delta   = D_i tanh(G_ij) tanh(h_ij)
//   R_ij    = D_i tanh(G_ij x_j)  l = 1,   D_i tanh(G_ij) nu_j  l > 1
//   h_ij   += R_ij / 2
//
// DEVIATION: the paper's asymptotic branch for G_L lacks the factor y_i (an erratum). N/Phi is
// the inverse Mills ratio at -y mu_i(j) / sigma, finite everywhere, so there is no branch here.
#include <cmath>
#include <numbers>

#include "core/step.hpp"
#include "math/label_noise.hpp"

namespace bitbayes::core {

double output_gain(const LayerView& layer, double mu_cav, double sigma2, const Target& target) {
    const double sigma = std::sqrt(sigma2);
    const double scale = 2 / (std::sqrt(static_cast<double>(layer.K)) * sigma);
    return scale * math::noisy_mills(-target.y * mu_cav / sigma, target.eps);
}

double hidden_gain(const LayerView& layer, double mu_cav, double sigma2) {
    const double sigma = std::sqrt(sigma2);
    const double scale = 2 / (std::sqrt(static_cast<double>(layer.K)) * sigma);
    const double z = mu_cav / sigma;
    return scale * std::exp(-0.5 * z * z) * (std::numbers::inv_sqrtpi / std::numbers::sqrt2);
}

void backward_layer(const LayerView& layer, std::span<const double> nu, const LayerTrace& trace,
                    std::span<const double> D, const LayerMessages& out) {
    const double root_K = std::sqrt(static_cast<double>(layer.K));
    for (std::size_t i = 0; i < layer.V; ++i) {
        const auto h_i = layer.row(i);
        const auto nu_i = layer.inputs_of(i, nu);
        for (std::size_t j = 0; j < layer.K; ++j) {
            const std::size_t ij = i * layer.K + j;
            const double w = std::tanh(h_i[j]);
            const double mu_cav = trace.mu[i] - w * nu_i[j] / root_K;
            const double G = layer.last
                                 ? layer.gain(layer, mu_cav, trace.sigma2[i], layer.target(i, D[i]))
                                 : hidden_gain(layer, mu_cav, trace.sigma2[i]);
            out.G[ij] = G;
            out.delta[ij] = D[i] * std::tanh(G) * w;
            out.R[ij] = layer.first ? D[i] * std::tanh(G * nu_i[j]) : D[i] * std::tanh(G) * nu_i[j];
        }
    }
}

void update_layer(std::span<double> h, std::span<const double> R) {
    for (std::size_t ij = 0; ij < h.size(); ++ij) h[ij] += R[ij] / 2;
}

}  // namespace bitbayes::core
