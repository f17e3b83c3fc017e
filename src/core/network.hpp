// A whole converging network in double precision: one Bayes update step, and the output of its
// clipped twin.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/layer.hpp"

namespace bitbayes::core {

struct Layer {
    std::size_t V = 0, K = 0;
    std::vector<double> h;                         // V x K
    std::vector<double> mu, sigma2, nu, variance;  // V
    std::vector<double> G, delta, R;               // V x K
};

class Network {
  public:
    /// fan_in[l] = K of layer l+1; `outputs` = V_L.
    Network(const std::vector<std::size_t>& fan_in, std::size_t outputs);

    /// G of the output layer; replaceable, to show the effect of another formula.
    OutputGain gain = output_gain;
    /// eps of each output; empty: 0, as in the paper.
    std::vector<double> label_noise;

    std::vector<Layer>& layers() { return layers_; }
    const std::vector<Layer>& layers() const { return layers_; }

    /// Fills mu, sigma2, nu of every layer.
    void forward(std::span<const double> x);
    /// forward, backward, update; y is +1 or -1 per output. All updates use the values from before
    /// the step.
    void step(std::span<const double> x, std::span<const double> y);

    /// +1 or -1 per output, of W = sign(h) with sign(0) = +1.
    std::vector<double> clipped_output(std::span<const double> x) const;

  private:
    LayerView view(std::size_t l) const;

    std::vector<Layer> layers_;
};

}  // namespace bitbayes::core
