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

Posterior::Posterior(const Architecture& architecture, Algorithm algorithm, TreeRange trees)
    : Posterior(architecture.part(trees), algorithm) {
    rule = rule_of(algorithm, true);
    first_tree = trees.first;
}

Posterior Posterior::part(TreeRange trees) const {
    const std::size_t outputs = layers.back().shape.neurons;
    Posterior result;
    result.rule = rule;
    result.first_tree = trees.first;
    for (const LayerPosterior& layer : layers) {
        const std::size_t per_tree = layer.shape.weights() / outputs;
        const auto first = static_cast<std::ptrdiff_t>((trees.first - first_tree) * per_tree);
        const auto last = first + static_cast<std::ptrdiff_t>(trees.count * per_tree);
        LayerPosterior& own = result.layers.emplace_back();
        own.shape = layer.shape;
        own.shape.neurons = trees.count * (layer.shape.neurons / outputs);
        own.learned.assign(layer.learned.begin() + first, layer.learned.begin() + last);
        if (layer.carried.empty()) continue;
        own.carried.assign(layer.carried.begin() + first, layer.carried.begin() + last);
    }
    return result;
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
    const std::size_t outputs = std::max<std::size_t>(1, layers.back().shape.neurons);
    const std::size_t before = first_tree * (shape.weights() / outputs);
    for (std::size_t ij = 0; ij < h.size(); ++ij) {
        h[ij] = static_cast<float>(width * (2 * random.uniform(before + ij) - 1));
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
