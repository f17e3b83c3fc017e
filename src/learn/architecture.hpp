// Shapes of networks. Connectivity is a property of a layer.
#pragma once

#include <cstddef>
#include <vector>

#include "base/range.hpp"

namespace bitbayes::learn {

enum class Connectivity {
    kDense,  // every neuron reads the whole layer below and, above layer 1, a constant 1 as last
    kTree    // neuron i reads neurons i*K .. i*K+K-1 of the layer below: fan-out 1
};

struct LayerShape {
    std::size_t neurons = 0;
    std::size_t fan_in = 0;
    Connectivity connectivity = Connectivity::kTree;

    std::size_t weights() const { return neurons * fan_in; }
    bool operator==(const LayerShape&) const = default;
};

/// Output trees of a network.
using TreeRange = Range;

struct Architecture {
    std::size_t inputs = 0;  // of layer 1, the constant included
    std::vector<LayerShape> layers;

    std::size_t depth() const { return layers.size(); }
    std::size_t outputs() const { return layers.back().neurons; }
    std::size_t weights() const;
    bool operator==(const Architecture&) const = default;

    /// The paper's converging architecture: layer 1 reads all inputs, every later layer is a tree.
    /// Each output is then the root of a tree that shares nothing but the input with the others.
    bool is_tree() const;
    /// Neurons of layer `l` (from 0) that belong to one output's tree; only if is_tree().
    std::size_t neurons_per_tree(std::size_t l) const;
    std::size_t weights_per_tree() const;
    /// The network of these trees alone; only if is_tree(). `count` may be 0, and nothing is left.
    Architecture part(TreeRange trees) const;
    /// Dense layers, at least one, and tree layers on top, if any; each fits the one below.
    bool is_whole() const;
    /// Layers from the input side that all outputs share, those below the last dense one; 0 in trees.
    /// Each layer above them has the same number of neurons for every output.
    std::size_t shared_layers() const;

    /// `fan_ins`: fan-ins of layers 2..L, input side first; empty: a single layer. Throws
    /// Error(kUsage) for a size of 0 or for more than 2^40 weights.
    static Architecture tree(std::size_t inputs, const std::vector<std::size_t>& fan_ins,
                             std::size_t outputs);
    /// Dense layers of `widths` neurons, input side first, and trees as above that read the last one.
    static Architecture dense(std::size_t inputs, const std::vector<std::size_t>& widths,
                              const std::vector<std::size_t>& fan_ins, std::size_t outputs);
};

}  // namespace bitbayes::learn
