// Views of one layer for the double-precision reference. Letters as in the paper.
#pragma once

#include <cstddef>
#include <span>

namespace bitbayes::core {

inline constexpr double kEps = 0x1p-52;

struct LayerView;

/// What the output layer is told: the label y, and how often labels are wrong (the paper: never).
struct Target {
    double y = 0, eps = 0;
};

/// G of a weight of the output layer.
using OutputGain = double (*)(const LayerView& layer, double mu_cav, double sigma2,
                              const Target& target);
double output_gain(const LayerView& layer, double mu_cav, double sigma2, const Target& target);
/// G of a weight of another layer.
double hidden_gain(const LayerView& layer, double mu_cav, double sigma2);

/// h of one layer, row-major V x K. Layer 1 reads the whole input and a dense layer the whole layer
/// below; neuron i of a tree layer reads neurons i*K .. i*K+K-1 of the layer below.
struct LayerView {
    std::span<const double> h;
    std::size_t V = 0;
    std::size_t K = 0;
    bool first = false;  // l = 1: inputs are certain, real numbers
    bool last = false;   // l = L: the label is clamped to the outputs
    OutputGain gain = output_gain;
    bool dense = false;
    std::span<const double> label_noise = {};  // eps of each output, l = L; empty: 0

    Target target(std::size_t i, double y) const {
        return {y, label_noise.empty() ? 0 : label_noise[i]};
    }
    std::span<const double> row(std::size_t i) const { return h.subspan(i * K, K); }
    template <class T>
    std::span<T> inputs_of(std::size_t i, std::span<T> below) const {
        return below.subspan(first || dense ? 0 : i * K, K);
    }
};

/// Per neuron, after forward. variance = 1 - nu^2.
struct LayerTrace {
    std::span<double> mu, sigma2, nu, variance;
};

/// Per weight, V x K, after backward. delta is the message to child j.
struct LayerMessages {
    std::span<double> G, delta, R;
};

}  // namespace bitbayes::core
