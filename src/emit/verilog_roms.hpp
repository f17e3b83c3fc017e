// The sizes of the folded form, its clocks and the contents of its ROMs, one Bits per word.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "emit/verilog_parts.hpp"
#include "packed/network.hpp"

namespace bitbayes::emit {

/// Neurons in groups of as many as there are lanes.
struct Groups {
    std::size_t count, last;  // neurons of the last one
};

/// The parameters of runtime/rtl/loader.v, and of neurons.v for one dense layer, whose members are
/// one layer, or dense_layers.v for several.
struct FoldedSizes {
    std::size_t dense;  // layers; the others are trees
    std::size_t inputs, lanes, out_lanes, lane_width, value_width, threshold_width, sum_width;
    std::size_t count_width, word_width;

    FoldedSizes(const packed::Network& network, std::size_t parallel);
    Groups groups(std::size_t neurons) const;
};

struct NeuronPlace {
    std::size_t member, l, i;  // l from 0
};

/// The number that a neuron of a dense layer starts from. Inputs x = 2b - 1 are added as 2b where
/// b = 1 and not at all where b = 0; the missing -sum_k W_k is part of the start.
std::int64_t first_number(const packed::Network& network, NeuronPlace place);

/// The ROM of runtime/rtl/loader.v.
std::vector<Bits> step_words(const packed::Network& network);
/// The ROM of runtime/rtl/neurons.v: per group the weights of each input, then the numbers that its
/// neurons start from, lowest bit first.
std::vector<Bits> weight_words(const packed::Network& network, const FoldedSizes& sizes);
/// The ROM of runtime/rtl/tree_layer.v for layer l + 1.
std::vector<Bits> tree_words(const packed::Network& network, std::size_t l, std::size_t lanes);

/// Clocks of an image with as few zeros among inputs and as few -1 among hidden neurons as can be;
/// `steps` are those of the loader.
std::size_t folded_clocks(const packed::Network& network, const FoldedSizes& sizes,
                          std::size_t steps);

}  // namespace bitbayes::emit
