// A packed network as C99 without floating point, heap or library calls, from the pieces of runtime/c.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "emit/files.hpp"
#include "packed/network.hpp"

namespace bitbayes::emit {

/// Rows that the example program of an export holds.
inline constexpr std::size_t kExampleRows = 4;

struct COptions {
    std::string name = "bitbayes_net";
    bool single_header = false;  // NAME.h alone, its code under NAME_IMPLEMENTATION
    bool arduino = false;        // the layout of an Arduino library
    /// Quantised columns, row by row, for the example; empty: one row of missing values.
    std::vector<std::int16_t> example_rows;
};

/// Sizes that README.md states. Operations are upper bounds for one row.
struct CFigures {
    std::size_t flash_bytes = 0;      // tables
    std::size_t raw_flash_bytes = 0;  // tables of NAME_*_raw
    std::size_t ram_bytes = 0;  // buffers on the stack of NAME_classify, on a 32-bit processor
    std::size_t row_bytes = 0;  // the caller's row
    std::size_t additions = 0;  // of words of weights, each one input of up to 32 neurons
    std::size_t words = 0;      // compared with weights, their ones counted
};

CFigures c_figures(const packed::Network& network);

/// Error(kUsage) for a name that check_name refuses, or if a margin might not fit into int32.
Files emit_c(const packed::Network& network, const COptions& options);

}  // namespace bitbayes::emit
