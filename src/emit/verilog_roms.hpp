// The sizes of the folded form and the contents of its ROMs, one Bits per word.
#pragma once

#include <cstddef>
#include <vector>

#include "emit/verilog_parts.hpp"
#include "packed/network.hpp"

namespace bitbayes::emit {

/// The parameters of runtime/rtl/neurons.v.
struct FoldedSizes {
    std::size_t lanes, groups, inputs, threshold_width, sum_width, value_width, out_lanes;
    std::size_t batches, last_batches;

    FoldedSizes(const packed::Network& network, std::size_t parallel);
};

/// The ROM of runtime/rtl/loader.v.
std::vector<Bits> step_words(const packed::Network& network);
/// The ROM of runtime/rtl/neurons.v: per group the weights of each input, then the numbers that its
/// neurons start from, lowest bit first.
std::vector<Bits> weight_words(const packed::Network& network, const FoldedSizes& sizes);
/// The ROM of runtime/rtl/tree_layer.v for layer l + 1.
std::vector<Bits> tree_words(const packed::Network& network, std::size_t l, std::size_t lanes);

}  // namespace bitbayes::emit
