#include "learn/posterior.hpp"

#include <algorithm>
#include <cmath>

#include "base/aligned.hpp"
#include "base/philox.hpp"
#include "kernels/table.hpp"

namespace bitbayes::learn {

Posterior::Posterior(const Architecture& architecture, Algorithm algorithm)
    : rule(rule_of(algorithm, architecture.is_tree())) {
    layers.reserve(architecture.depth());
    for (const LayerShape& shape : architecture.layers) layers.emplace_back(shape);
}

void Posterior::draw_prior(std::uint64_t seed, double scale) {
    for (std::size_t l = 0; l < layers.size(); ++l) {
        layers[l].learned = prior_of_layer(l, seed, scale);
    }
}

std::vector<float> Posterior::prior_of_layer(std::size_t l, std::uint64_t seed,
                                             double scale) const {
    const LayerShape& shape = layers[l].shape;
    const bool wide = rule.has_posterior && (layers.size() > 2 || rule.name == kMfbDense.name);
    const double width = scale * (wide ? 1.0 : std::sqrt(3.0 / static_cast<double>(shape.fan_in)));
    const Philox random(seed, Purpose::kPrior, static_cast<std::uint32_t>(l));
    std::vector<float> h(shape.weights());
    for (std::size_t ij = 0; ij < h.size(); ++ij) {
        h[ij] = static_cast<float>(width * (2 * random.uniform(ij) - 1));
    }
    return h;
}

std::vector<float> weight_means(std::span<const float> h) {
    std::vector<float> w(h.begin(), h.end());
    w.resize(padded(h.size()));
    kernels::best().weight_means(w.data(), w.data(), w.size());
    w.resize(h.size());
    return w;
}

}  // namespace bitbayes::learn
