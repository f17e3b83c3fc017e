// What a packed file must not hold. Reading and writing ask the same questions, so that whatever was
// saved can be loaded.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "packed/network.hpp"

namespace bitbayes::packed {

inline constexpr std::string_view kLargeSums = "sums that do not fit into 32 bits";

/// Whether the layer can read a layer of `below` neurons or inputs.
bool fits(const Layer& layer, std::size_t below);

/// The first contradiction in the network, in words; empty if there is none.
std::string problem_of(const Network& network);

}  // namespace bitbayes::packed
