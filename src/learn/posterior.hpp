// What a network has learned of every weight.
//   MFB: P(W_ij = +1) = 1 / (1 + exp(-2 h_ij)); h is the master copy, w = tanh h a function of it.
//   BackProp has no posterior: w are its real weights, h and least are empty.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/aligned.hpp"
#include "bitbayes/model.hpp"
#include "learn/architecture.hpp"

namespace bitbayes::learn {

struct LayerPosterior {
    LayerShape shape;
    std::size_t stride = 0;  // floats from one neuron's row to the next: fan_in, padded with zeros
    AlignedVector<float> h, w;
    /// Layer 1: the smallest |h| of each neuron, negative where it is not known (kernels/table.hpp).
    std::vector<float> least;

    explicit LayerPosterior(const LayerShape& layer_shape, Algorithm algorithm = Algorithm::kMfb);
    /// The learned numbers, which files hold: h, or the weights of BackProp.
    const AlignedVector<float>& learned() const { return h.empty() ? w : h; }
    AlignedVector<float>& learned() { return h.empty() ? w : h; }
    /// Those of one neuron.
    std::span<const float> row(std::size_t neuron) const {
        return {learned().data() + neuron * stride, shape.fan_in};
    }
    std::span<float> row(std::size_t neuron) {
        return {learned().data() + neuron * stride, shape.fan_in};
    }
};

struct Posterior {
    Algorithm algorithm = Algorithm::kMfb;
    std::vector<LayerPosterior> layers;

    Posterior() = default;
    explicit Posterior(const Architecture& architecture,
                       Algorithm rule = Algorithm::kMfb);  // all 0
    /// U[-1,1] * scale * sqrt(3 / K); MFB networks of more than two layers: U[-1,1] * scale.
    void draw_prior(std::uint64_t seed, double scale);
    /// Recomputes what depends on the learned numbers, after they were set from outside.
    void refresh_means();
};

}  // namespace bitbayes::learn
