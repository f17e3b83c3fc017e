// A Verilog export in Yosys and nextpnr, for an iCE40.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "tools/verilog_tools.hpp"

namespace bitbayes::tools {

using Cells = std::map<std::string, std::size_t>;

/// What `synth_ice40` makes of an export.
struct Synthesis {
    std::string problem;  // why there are no cells; empty if there are
    std::string version;  // of Yosys; empty if it is not installed
    Cells cells;

    std::size_t luts() const { return count("SB_LUT4"); }
    std::size_t flip_flops() const { return count("SB_DFF"); }
    std::size_t block_rams() const { return count("SB_RAM"); }

  private:
    std::size_t count(const std::string& kind) const;
};

/// What nextpnr makes of that on an iCE40 HX8K.
struct Placement {
    static constexpr const char* kDevice = "hx8k-ct256";

    std::string problem;  // why there is no frequency; empty if there is
    std::string version;  // of nextpnr; empty if it is not installed
    Cells cells;          // used
    double fmax_mhz = 0;  // of the clock, after routing
};

struct Ice40 {
    Synthesis synthesis;
    Placement placement;
};

/// Each tool gets as many seconds.
Ice40 synthesise(const VerilogExport& exported, double seconds);

}  // namespace bitbayes::tools
