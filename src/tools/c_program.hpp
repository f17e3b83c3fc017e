// Exported C, compiled and run on this machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "device/network.hpp"
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

/// What C that learns answered before each row, and what it knew after it.
struct CLearned {
    std::vector<std::int64_t> scores;         // one per row and output
    std::vector<std::uint32_t> fingerprints;  // one per row, as device::Learner's
    std::vector<std::int8_t> h;               // after the last row: h1, then h2
};

/// Compiles the export of `network` in `folder` and has it learn `rows`: the label, then the
/// quantised columns of each. Errors as above.
CLearned run_learning_c(const std::filesystem::path& folder, const std::string& name,
                        const device::Network& network, std::span<const std::int16_t> rows,
                        std::uint32_t seed);

}  // namespace bitbayes::tools
