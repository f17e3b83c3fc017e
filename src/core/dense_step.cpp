#include "core/dense_step.hpp"

#include <algorithm>
#include <cmath>

namespace bitbayes::core {

void output_derivative(const LayerView& layer, const LayerTrace& trace, std::span<const double> y,
                       double weight, std::span<double> d) {
    for (std::size_t i = 0; i < layer.V; ++i)
        d[i] = weight * y[i] *
               output_gain(layer, trace.mu[i], trace.sigma2[i], layer.target(i, y[i])) / 2;
}

void hidden_derivative(const LayerView& layer, const LayerTrace& trace, std::span<const double> e,
                       std::span<double> d) {
    for (std::size_t j = 0; j < layer.V; ++j)
        d[j] = e[j] * hidden_gain(layer, trace.mu[j], trace.sigma2[j]);
}

void messages_down(const LayerView& layer, std::span<const double> d, std::span<double> e) {
    std::fill(e.begin(), e.end(), 0.0);
    for (std::size_t i = 0; i < layer.V; ++i) {
        const auto h_i = layer.row(i);
        const auto e_i = layer.inputs_of(i, e);
        for (std::size_t j = 0; j < layer.K; ++j) e_i[j] += std::tanh(h_i[j]) * d[i];
    }
}

void add_gradient(const LayerView& layer, std::span<const double> nu, std::span<const double> d,
                  std::span<double> A) {
    for (std::size_t i = 0; i < layer.V; ++i) {
        const auto nu_i = layer.inputs_of(i, nu);
        for (std::size_t j = 0; j < layer.K; ++j) A[i * layer.K + j] += d[i] * nu_i[j];
    }
}

void update_dense(std::span<double> h, std::span<const double> A, double evidence) {
    for (std::size_t ij = 0; ij < h.size(); ++ij) h[ij] += std::tanh(evidence * A[ij]);
}

}  // namespace bitbayes::core
