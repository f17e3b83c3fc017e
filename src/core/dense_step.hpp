// Dense layers (docs/theory.md), as functions per layer; the forward phase is the paper's,
// forward_layer in step.hpp, where (1 - nu^2) + nu^2 sech^2 h is 1 - (w nu)^2. z = mu / sigma.
//   output    d_i = y_i phi(z_i) / Phi(y_i z_i) / (sigma_i sqrt(K))       label noise: backward.cpp
//   message   e_j = sum_i w_ij d_i                                        to neuron j below
//   hidden    d_j = e_j 2 phi(z_j) / (sigma_j sqrt(K_j))
//   batch     A_ij = sum over rows of d_i nu_j,   h_ij += tanh(evidence A_ij)
// d_i is the derivative of ln P with respect to sum_j w_ij nu_j, sigma held fixed. With the paper's
// gains at mu_i, no weight left out: d_i = y_i G_i / 2 and d_j = e_j G_j.
#pragma once

#include <span>

#include "core/layer.hpp"

namespace bitbayes::core {

/// d of the output layer; the row counts `weight` times.
void output_derivative(const LayerView& layer, const LayerTrace& trace, std::span<const double> y,
                       double weight, std::span<double> d);

/// d of another layer, from the messages of the layer above.
void hidden_derivative(const LayerView& layer, const LayerTrace& trace, std::span<const double> e,
                       std::span<double> d);

/// e of the layer below.
void messages_down(const LayerView& layer, std::span<const double> d, std::span<double> e);

/// A += d nu of one row; `nu` is that of the layer below, x for layer 1.
void add_gradient(const LayerView& layer, std::span<const double> nu, std::span<const double> d,
                  std::span<double> A);

/// h += tanh(evidence A).
void update_dense(std::span<double> h, std::span<const double> A, double evidence);

}  // namespace bitbayes::core
