// THE PAPER: Algorithm 1, "BayesUpdateStep", as three functions per layer, and its clipped network.
// Twins: kernels/*. Dense layers share forward_layer and clipped_layer: dense_step.hpp.
#pragma once

#include <span>

#include "core/layer.hpp"

namespace bitbayes::core {

/// `nu` and `variance` are those of the layer below; for layer 1 nu = x, and variance is not read.
void forward_layer(const LayerView& layer, std::span<const double> nu,
                   std::span<const double> variance, const LayerTrace& out);

/// `D` is the message to each neuron of this layer: y at the output, delta of the layer above
/// elsewhere.
void backward_layer(const LayerView& layer, std::span<const double> nu, const LayerTrace& trace,
                    std::span<const double> D, const LayerMessages& out);

/// h += R / 2.
void update_layer(std::span<double> h, std::span<const double> R);

/// The clipped network, W = sign(h): out_i = sign(sum_j W_ij v_j), sign(0) = +1.
void clipped_layer(const LayerView& layer, std::span<const double> v, std::span<double> out);

}  // namespace bitbayes::core
