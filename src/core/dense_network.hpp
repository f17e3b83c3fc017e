// A network of dense layers, with tree layers wherever wanted above the first, in double precision:
// rows are accumulated, then one step is taken for the batch. Twin of the float networks in learn/.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/layer.hpp"

namespace bitbayes::core {

/// K counts the constant, the last input of dense layers above the first.
struct DenseShape {
    std::size_t V = 0, K = 0;
    bool dense = true;  // else a tree layer; layer 1 is dense
};

struct DenseLayer {
    DenseShape shape;
    std::vector<double> h, A;             // V x K
    std::vector<double> mu, sigma2, d;    // V
    std::vector<double> nu, variance, e;  // V + 1, the last for the constant: 1, 0, its message
};

class DenseNetwork {
  public:
    /// Input side first. h = 0, to be set through layers().
    explicit DenseNetwork(const std::vector<DenseShape>& shapes);

    /// eps of each output; empty: 0.
    std::vector<double> label_noise;

    std::vector<DenseLayer>& layers() { return layers_; }
    const std::vector<DenseLayer>& layers() const { return layers_; }

    /// Fills mu, sigma2, nu of every layer.
    void forward(std::span<const double> x);
    /// sum_i ln P(y_i | z_i) of the last forward, P = eps + (1 - 2 eps) Phi(y z).
    double log_likelihood(std::span<const double> y) const;
    /// forward, then d, e of every layer, and the row's share of A; y is +1 or -1 per output.
    void accumulate(std::span<const double> x, std::span<const double> y, double weight = 1);
    /// h += tanh(evidence A), and A = 0 for the next batch.
    void update(double evidence);

    /// +1 or -1 per output, of W = sign(h) with sign(0) = +1.
    std::vector<double> clipped_output(std::span<const double> x) const;

  private:
    LayerView view(std::size_t l) const;

    std::vector<DenseLayer> layers_;
};

}  // namespace bitbayes::core
