// A packed network as synthesizable Verilog-2001, from the blocks of runtime/rtl.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "emit/files.hpp"
#include "packed/network.hpp"

namespace bitbayes::emit {

/// Networks of up to so many weights may be built fully parallel.
inline constexpr std::size_t kMostParallelWeights = 4096;

struct VerilogOptions {
    std::string name = "bitbayes_net";
    /// Neurons of layer 1 per clock of the folded form; nullopt: the parallel form where it may be
    /// built, else 64.
    std::optional<std::size_t> parallel;
};

/// Rows for the self-checking testbench: quantised columns, row by row.
struct GoldenRows {
    std::vector<std::int16_t> columns;
};

struct VerilogFigures {
    bool folded = false;
    std::size_t parallel = 0;          // neurons per clock; 0 if not folded
    std::size_t cycles_per_image = 0;  // at most
    std::size_t rom_bits = 0;
};

VerilogFigures verilog_figures(const packed::Network& network, const VerilogOptions& options);
Files emit_verilog(const packed::Network& network, const VerilogOptions& options,
                   const GoldenRows& golden);

}  // namespace bitbayes::emit
