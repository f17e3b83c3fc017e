#include "core/network.hpp"

#include "core/step.hpp"

namespace bitbayes::core {

Network::Network(const std::vector<std::size_t>& fan_in, std::size_t outputs)
    : layers_(fan_in.size()) {
    std::size_t V = outputs;
    for (std::size_t l = fan_in.size(); l-- > 0;) {
        Layer& layer = layers_[l];
        layer.V = V;
        layer.K = fan_in[l];
        for (auto* per_neuron : {&layer.mu, &layer.sigma2, &layer.nu, &layer.variance})
            per_neuron->resize(V);
        for (auto* per_weight : {&layer.h, &layer.G, &layer.delta, &layer.R})
            per_weight->resize(V * layer.K);
        V *= layer.K;
    }
}

LayerView Network::view(std::size_t l) const {
    const Layer& layer = layers_[l];
    return {.h = layer.h,
            .V = layer.V,
            .K = layer.K,
            .first = l == 0,
            .last = l + 1 == layers_.size(),
            .gain = gain,
            .label_noise = label_noise};
}

void Network::forward(std::span<const double> x) {
    std::span<const double> nu = x, variance;
    for (std::size_t l = 0; l < layers_.size(); ++l) {
        Layer& layer = layers_[l];
        forward_layer(view(l), nu, variance, {layer.mu, layer.sigma2, layer.nu, layer.variance});
        nu = layer.nu;
        variance = layer.variance;
    }
}

void Network::step(std::span<const double> x, std::span<const double> y) {
    forward(x);
    std::span<const double> D = y;
    for (std::size_t l = layers_.size(); l-- > 0;) {
        Layer& layer = layers_[l];
        const std::span<const double> nu = l == 0 ? x : std::span<const double>(layers_[l - 1].nu);
        backward_layer(view(l), nu, {layer.mu, layer.sigma2, layer.nu, layer.variance}, D,
                       {layer.G, layer.delta, layer.R});
        D = layer.delta;
    }
    for (std::size_t l = 0; l < layers_.size(); ++l) update_layer(layers_[l].h, layers_[l].R);
}

std::vector<double> Network::clipped_output(std::span<const double> x) const {
    std::vector<double> v(x.begin(), x.end());
    for (std::size_t l = 0; l < layers_.size(); ++l) {
        std::vector<double> next(layers_[l].V);
        clipped_layer(view(l), v, next);
        v = std::move(next);
    }
    return v;
}

}  // namespace bitbayes::core
