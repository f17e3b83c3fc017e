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

/// Error(kUnavailable) if it is not here.
void require(Simulator simulator);

struct SimulatedRow {
    packed::Answer answer;
    bool known = true;
    std::size_t clocks = 0;  // 0: the row had pauses
    std::vector<std::int64_t> scores;
};

struct Simulation {
    std::vector<SimulatedRow> rows;  // those that the time was enough for
    bool out_of_time = false;
    std::string last_line;  // of what it said, PASS or FAIL if there was time
};

/// Runs the testbench NAME_tb of the export in `folder` on these rows, for so many seconds at most.
/// Error(kUnavailable) if the simulator is not here, Error(kInternal) if it refuses the files.
Simulation simulate(Simulator simulator, const std::filesystem::path& folder,
                    const std::string& name, const packed::Network& network,
                    const emit::GoldenRows& rows, double seconds);

/// What `synth_ice40` makes of an export.
struct Synthesis {
    std::string problem;  // why there are no cells; empty: there are
    std::string version;  // of Yosys; empty: it is not here
    std::map<std::string, std::size_t> cells;

    std::size_t luts() const { return count("SB_LUT4"); }
    std::size_t flip_flops() const { return count("SB_DFF"); }
    std::size_t block_rams() const { return count("SB_RAM"); }

  private:
    std::size_t count(const std::string& kind) const;
};

Synthesis synthesise(const std::filesystem::path& folder, const std::string& name, double seconds);

}  // namespace bitbayes::tools
