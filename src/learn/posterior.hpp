// What a network has learned about every weight, in the form that files and clipping use: plain
// rows without padding. Learners keep copies of their own, laid out for their loops.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "learn/architecture.hpp"
#include "learn/rule.hpp"

namespace bitbayes::learn {

struct LayerPosterior {
    LayerShape shape;
    std::vector<float> learned;  // neurons x fan_in: Rule::learned
    std::vector<float> carried;  // neurons x fan_in: Rule::carried, or empty

    LayerPosterior() = default;
    explicit LayerPosterior(const LayerShape& layer_shape)
        : shape(layer_shape), learned(layer_shape.weights()) {}

    std::span<const float> row(std::size_t neuron) const {
        return std::span(learned).subspan(neuron * shape.fan_in, shape.fan_in);
    }
    std::span<float> row(std::size_t neuron) {
        return std::span(learned).subspan(neuron * shape.fan_in, shape.fan_in);
    }
};

/// Of a whole network, or of some of its output trees.
struct Posterior {
    Rule rule = kMfbTree;
    std::vector<LayerPosterior> layers;
    std::size_t first_tree = 0;  // of those that it has

    Posterior() = default;
    explicit Posterior(const Architecture& architecture, Algorithm algorithm = Algorithm::kMfb);
    /// Of some trees of the network.
    Posterior(const Architecture& architecture, Algorithm algorithm, TreeRange trees);
    /// Some of the trees.
    Posterior part(TreeRange trees) const;
    /// U[-1,1] * scale * sqrt(3 / K); MFB networks that are dense or of more than two layers:
    /// U[-1,1] * scale.
    void draw_prior(std::uint64_t seed, double scale);
    /// The same numbers of one layer.
    std::vector<float> prior_of_layer(std::size_t l, std::uint64_t seed, double scale) const;
};

/// w = tanh h, with the bits that learners compute.
std::vector<float> weight_means(std::span<const float> h);

}  // namespace bitbayes::learn
