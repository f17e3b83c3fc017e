#include "core/dense_network.hpp"

#include <algorithm>
#include <cmath>

#include "core/dense_step.hpp"
#include "core/step.hpp"
#include "math/label_noise.hpp"

namespace bitbayes::core {

namespace {

LayerTrace trace(DenseLayer& layer) { return {layer.mu, layer.sigma2, layer.nu, layer.variance}; }

}  // namespace

DenseNetwork::DenseNetwork(const std::vector<DenseShape>& shapes) {
    for (const DenseShape& shape : shapes) {
        DenseLayer layer;
        layer.shape = shape;
        for (auto* per_weight : {&layer.h, &layer.A}) per_weight->resize(shape.V * shape.K);
        for (auto* per_neuron : {&layer.mu, &layer.sigma2, &layer.d}) per_neuron->resize(shape.V);
        for (auto* with_constant : {&layer.nu, &layer.variance, &layer.e})
            with_constant->resize(shape.V + 1);
        layer.nu.back() = 1;
        layers_.push_back(std::move(layer));
    }
}

LayerView DenseNetwork::view(std::size_t l) const {
    const DenseLayer& layer = layers_[l];
    const auto& [V, K, dense] = layer.shape;
    return {
        .h = layer.h, .V = V, .K = K, .first = l == 0, .dense = dense, .label_noise = label_noise};
}

void DenseNetwork::forward(std::span<const double> x) {
    std::span<const double> nu = x, variance;
    for (std::size_t l = 0; l < layers_.size(); ++l) {
        forward_layer(view(l), nu, variance, trace(layers_[l]));
        nu = layers_[l].nu;
        variance = layers_[l].variance;
    }
}

double DenseNetwork::log_likelihood(std::span<const double> y) const {
    const DenseLayer& outputs = layers_.back();
    const LayerView layer = view(layers_.size() - 1);
    double sum = 0;
    for (std::size_t i = 0; i < outputs.shape.V; ++i) {
        const double z = outputs.mu[i] / std::sqrt(outputs.sigma2[i]);
        sum += math::log_noisy_phi(y[i] * z, layer.target(i, y[i]).eps);
    }
    return sum;
}

void DenseNetwork::accumulate(std::span<const double> x, std::span<const double> y, double weight) {
    forward(x);
    const std::size_t L = layers_.size();
    output_derivative(view(L - 1), trace(layers_[L - 1]), y, weight, layers_[L - 1].d);
    for (std::size_t l = L - 1; l > 0; --l) {
        DenseLayer& below = layers_[l - 1];
        messages_down(view(l), layers_[l].d, below.e);
        hidden_derivative(view(l - 1), trace(below), below.e, below.d);
    }
    std::span<const double> nu = x;
    for (std::size_t l = 0; l < L; ++l) {
        add_gradient(view(l), nu, layers_[l].d, layers_[l].A);
        nu = layers_[l].nu;
    }
}

void DenseNetwork::update(double evidence) {
    for (DenseLayer& layer : layers_) {
        update_dense(layer.h, layer.A, evidence);
        std::fill(layer.A.begin(), layer.A.end(), 0.0);
    }
}

std::vector<double> DenseNetwork::clipped_output(std::span<const double> x) const {
    std::vector<double> v(x.begin(), x.end());
    for (std::size_t l = 0; l < layers_.size(); ++l) {
        std::vector<double> next(layers_[l].shape.V);
        clipped_layer(view(l), v, next);
        next.push_back(1);
        v = std::move(next);
    }
    v.pop_back();
    return v;
}

}  // namespace bitbayes::core
