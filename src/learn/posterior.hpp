// P(W_ij = +1) = 1 / (1 + exp(-2 h_ij)) for every weight: h is the master copy, w = tanh h a
// function of it alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/aligned.hpp"
#include "learn/architecture.hpp"

namespace bitbayes::learn {

struct LayerPosterior {
    LayerShape shape;
    std::size_t stride = 0;  // floats from one neuron's row to the next: fan_in, padded with zeros
    AlignedVector<float> h, w;
    /// Layer 1: the smallest |h| of each neuron, negative where it is not known (kernels/table.hpp).
    std::vector<float> least;

    explicit LayerPosterior(const LayerShape& layer_shape);
    std::span<const float> row(std::size_t neuron) const {
        return {h.data() + neuron * stride, shape.fan_in};
    }
    std::span<float> row(std::size_t neuron) { return {h.data() + neuron * stride, shape.fan_in}; }
};

struct Posterior {
    std::vector<LayerPosterior> layers;

    Posterior() = default;
    explicit Posterior(const Architecture& architecture);  // h = 0
    /// h ~ U[-1,1] * scale * (sqrt(3 / K) for L <= 2, 1 for deeper networks)
    void draw_prior(std::uint64_t seed, double scale);
    /// Recomputes w from h, after h was set from outside.
    void refresh_means();
};

}  // namespace bitbayes::learn
