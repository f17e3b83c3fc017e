// The figures of packed networks, as JSON and as tables.
#pragma once

#include <string>

#include "bitbayes/packed_network.hpp"
#include "packed/network.hpp"
#include "terminal/output.hpp"

namespace bitbayes::cli {

/// 717x(301x10)x10: inputs without the constant, hidden layers (those of trees as trees per output),
/// outputs.
std::string architecture_text(const packed::Network& network);

/// Description of a packed network: shape, columns, sizes.
Json packed_json(const packed::Network& network);
std::string packed_table(const packed::Network& network);

/// Its evaluation on data.
Json evaluation_json(const PackedEvaluation& evaluation);
std::string evaluation_table(const PackedEvaluation& evaluation, const packed::Network& network);
/// Says how many rows hold a value far beyond those of training, if any does.
void note_outside(const Common& common, std::size_t rows);

}  // namespace bitbayes::cli
