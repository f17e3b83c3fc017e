// The sizes of the folded form, its clocks and the contents of its ROMs, one Bits per word.
#pragma once

#include <cstddef>
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

/// The ROM of runtime/rtl/loader.v.
std::vector<Bits> step_words(const packed::Network& network);
/// The ROM of runtime/rtl/neurons.v: per group the weights of each input, then the numbers that its
/// neurons start from, lowest bit first.
std::vector<Bits> weight_words(const packed::Network& network, const FoldedSizes& sizes);
/// The ROM of runtime/rtl/dense_layers.v, member by member and layer by layer: per group the numbers
/// that its neurons start from, lowest bit first, then the weights of each input.
std::vector<Bits> dense_words(const packed::Network& network, const FoldedSizes& sizes);
/// The ROM of runtime/rtl/tree_layer.v for layer l + 1.
std::vector<Bits> tree_words(const packed::Network& network, std::size_t l, std::size_t lanes);

/// Clocks of an image with as few zeros among inputs and as few -1 among hidden neurons as can be;
/// `steps` are those of the loader.
std::size_t folded_clocks(const packed::Network& network, const FoldedSizes& sizes,
                          std::size_t steps);

}  // namespace bitbayes::emit
