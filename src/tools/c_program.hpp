// Exported C, compiled and run on this machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "emit/c.hpp"
#include "packed/network.hpp"

namespace bitbayes::tools {

/// What it answers, row by row.
struct CAnswers {
    std::vector<packed::Answer> answers;
    std::vector<int> predicted;        // class, or -1 for "don't know"
    std::vector<std::int64_t> scores;  // one per output
};

/// $CC, or "cc".
std::string c_compiler();
/// Error(kUnavailable) if there is no such program.
void check_c_compiler();

/// Compiles the export in `folder`, written with these options, and gives it `rows`: quantised
/// columns, row by row. Error(kUnavailable) without a compiler, Error(kInternal) if the export does
/// not compile or fails to run.
CAnswers run_c(const std::filesystem::path& folder, const emit::COptions& options,
               const packed::Network& network, std::span<const std::int16_t> rows);

}  // namespace bitbayes::tools
