#include "learn/posterior.hpp"

#include <algorithm>
#include <cmath>

#include "base/philox.hpp"
#include "kernels/table.hpp"

namespace bitbayes::learn {

LayerPosterior::LayerPosterior(const LayerShape& layer_shape, Algorithm algorithm)
    : shape(layer_shape),
      stride(padded(layer_shape.fan_in)),
      w(layer_shape.neurons * stride, 0.0f) {
    if (algorithm == Algorithm::kBackprop) return;
    h.assign(w.size(), 0.0f);
    least.assign(layer_shape.neurons, -1.0f);
}

Posterior::Posterior(const Architecture& architecture, Algorithm rule) : algorithm(rule) {
    layers.reserve(architecture.depth());
    for (const LayerShape& shape : architecture.layers) layers.emplace_back(shape, rule);
}

void Posterior::draw_prior(std::uint64_t seed, double scale) {
    for (std::size_t l = 0; l < layers.size(); ++l) {
        const std::size_t K = layers[l].shape.fan_in;
        const bool wide = algorithm == Algorithm::kMfb && layers.size() > 2;
        const double width = scale * (wide ? 1.0 : std::sqrt(3.0 / static_cast<double>(K)));
        const Philox random(seed, Purpose::kPrior, static_cast<std::uint32_t>(l));
        for (std::size_t i = 0; i < layers[l].shape.neurons; ++i) {
            const auto row = layers[l].row(i);
            for (std::size_t j = 0; j < K; ++j) {
                row[j] = static_cast<float>(width * (2 * random.uniform(i * K + j) - 1));
            }
        }
    }
    refresh_means();
}

void Posterior::refresh_means() {
    for (LayerPosterior& layer : layers) {
        if (layer.h.empty()) continue;
        std::fill(layer.least.begin(), layer.least.end(), -1.0f);
        kernels::best().weight_means(layer.h.data(), layer.w.data(), layer.h.size());
    }
}

}  // namespace bitbayes::learn
