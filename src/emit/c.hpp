// A packed network as C99 without floating point, heap or library calls.
#pragma once

#include <string>

#include "emit/files.hpp"
#include "packed/network.hpp"

namespace bitbayes::emit {

struct COptions {
    std::string name = "bitbayes_net";
    bool single_header = false;  // NAME.h alone, its code under NAME_IMPLEMENTATION
    bool arduino = false;        // the layout of an Arduino library
};

/// Sizes that README.md tells.
struct CFigures {
    std::size_t flash_bytes = 0;  // tables
    std::size_t ram_bytes = 0;    // of one call, on the stack
    std::size_t operations = 0;   // of one call: additions or word operations
};

CFigures c_figures(const packed::Network& network);
Files emit_c(const packed::Network& network, const COptions& options);

}  // namespace bitbayes::emit
