// A packed network as integer-only source code. `bitbayes export --verify` also compiles or
// simulates what was written and compares every answer.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "bitbayes/packed_network.hpp"
#include "bitbayes/types/export.hpp"
#include "bitbayes/types/rows.hpp"

namespace bitbayes {

struct ExportOptions {
    std::string name = "bitbayes_net";  // prefix of every name in the code
    /// Write into a folder that is not empty: an earlier export is replaced, other files stay.
    bool overwrite = false;
    bool single_header = false;  // C: NAME.h alone, its code under NAME_IMPLEMENTATION
    bool arduino = false;        // C: the layout of an Arduino library
    /// Verilog: neurons per clock of the folded form.
    std::optional<std::size_t> parallel = std::nullopt;
};

/// C99 without floating point, heap or library calls. `examples`: rows for the example program.
/// Returns the paths of the files, relative to `folder`.
BITBAYES_API std::vector<std::string> export_c(const PackedNetwork& network,
                                               const std::string& folder,
                                               const ExportOptions& options = {},
                                               std::optional<Rows> examples = std::nullopt);

/// Synthesizable Verilog-2001 and a self-checking testbench. `examples`: rows for the testbench;
/// random ones if there are none.
BITBAYES_API std::vector<std::string> export_verilog(const PackedNetwork& network,
                                                     const std::string& folder,
                                                     const ExportOptions& options = {},
                                                     std::optional<Rows> examples = std::nullopt);

}  // namespace bitbayes
