// A packed network as synthesizable Verilog-2001, from the blocks of runtime/rtl: every form is a twin
// of packed/network.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "emit/files.hpp"
#include "packed/network.hpp"

namespace bitbayes::emit {

/// Networks of up to kMaxParallelWeights weights may be built fully parallel.
inline constexpr std::size_t kMaxParallelWeights = 4096;

struct VerilogOptions {
    std::string name = "bitbayes_net";
    /// Neurons of a dense layer per clock in the folded form; nullopt: the parallel form where
    /// allowed, else 64.
    std::optional<std::size_t> parallel;
};

/// Rows for the self-checking testbench: quantised columns and scores, row by row.
struct GoldenRows {
    std::span<const std::int16_t> columns;
    std::span<const std::int64_t> scores;
};

/// Rows that the testbench of an export holds.
inline constexpr std::size_t kTestbenchRows = 16;

struct OwnedGoldenRows {
    std::vector<std::int16_t> columns;
    std::vector<std::int64_t> scores;
};

/// The given rows with their scores; kTestbenchRows random rows if there are none.
OwnedGoldenRows golden_rows(const packed::Network& network, std::vector<std::int16_t> columns);

struct VerilogFigures {
    bool folded = false;
    std::size_t parallel = 0;          // neurons per clock; 0 if not folded
    std::size_t cycles_per_image = 0;  // at most
    std::size_t latency = 0;           // clocks from the first column to the answer, at most
    std::size_t rom_bits = 0;
};

VerilogFigures verilog_figures(const packed::Network& network, const VerilogOptions& options);
/// NAME.v (the top), NAME_*.v (blocks), NAME_*.hex (ROMs), test/NAME_tb.v and its rows, README.md.
/// Error(kUsage) for a dense layer above a tree, or a name that check_name refuses.
Files emit_verilog(const packed::Network& network, const VerilogOptions& options,
                   const GoldenRows& golden);

/// The rows as the testbench reads them: a line of hexadecimal columns each, and a line "class
/// margin legal known scores..." each.
std::string testbench_columns(const packed::Network& network,
                              std::span<const std::int16_t> columns);
std::string testbench_answers(const packed::Network& network, std::span<const std::int64_t> scores);

}  // namespace bitbayes::emit
