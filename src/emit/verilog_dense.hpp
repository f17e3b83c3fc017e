// Several dense layers in the folded form: runtime/rtl/dense_layers.v.
#pragma once

#include "emit/verilog_roms.hpp"

namespace bitbayes::emit {

/// Its ROM, member by member and layer by layer: per group the numbers that its neurons start from,
/// lowest bit first, then the weights of each input.
std::vector<Bits> dense_words(const packed::Network& network, const FoldedSizes& sizes);
/// Its parameters, with a ROM of `words` words; all but WEIGHTS_FILE.
Pairs dense_parameters(const packed::Network& network, const FoldedSizes& sizes, std::size_t words);

}  // namespace bitbayes::emit
