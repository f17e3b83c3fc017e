// A Verilog export in the simulators and in Yosys.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
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

/// The result of `synth_ice40` for an export.
struct Synthesis {
    std::string problem;  // why there are no cells; empty if there are
    std::string version;  // of Yosys; empty if it is not installed
    std::map<std::string, std::size_t> cells;

    std::size_t luts() const { return count("SB_LUT4"); }
    std::size_t flip_flops() const { return count("SB_DFF"); }
    std::size_t block_rams() const { return count("SB_RAM"); }

  private:
    std::size_t count(const std::string& kind) const;
};

Synthesis synthesise(const VerilogExport& exported, double seconds);

}  // namespace bitbayes::tools
