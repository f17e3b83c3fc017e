// A Verilog export in the simulators.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "emit/verilog.hpp"
#include "packed/network.hpp"

namespace bitbayes::tools {

enum class Simulator { kVerilator, kIcarus };

/// "verilator", "iverilog"
const char* name_of(Simulator simulator);

/// Error(kUnavailable) if it is not installed.
void require(Simulator simulator);

/// An export on disk. No other file of its folder is looked at.
struct VerilogExport {
    std::filesystem::path folder;
    std::string name;                // of the top module
    std::vector<std::string> files;  // relative to the folder, as emit_verilog names them
};

VerilogExport verilog_export(const std::filesystem::path& folder, const std::string& name,
                             const emit::Files& files);

/// The Verilog of an export, including the testbench if `with_test`.
std::vector<std::string> sources(const VerilogExport& exported, bool with_test);

inline constexpr int kKilled = 128 + 9;  // exit status of a tool that ran out of time
std::string last_line(std::string text);
/// The first error that the output of a tool names, else its last line.
std::string complaint(const std::string& text);

struct SimulatedRow {
    packed::Answer answer;
    bool known = true;
    std::size_t clocks = 0;  // 0: the row had pauses
    std::vector<std::int64_t> scores;
};

struct Simulation {
    std::vector<SimulatedRow> rows;  // those finished in time
    bool out_of_time = false;
    std::string last_line;  // of its output: PASS or FAIL if it finished in time
};

/// Runs the testbench NAME_tb of an export on these rows, for at most `seconds`.
/// Error(kUnavailable) if the simulator is not installed, Error(kInternal) if it refuses the files.
Simulation simulate(Simulator simulator, const VerilogExport& exported,
                    const packed::Network& network, const emit::GoldenRows& rows, double seconds);

}  // namespace bitbayes::tools
