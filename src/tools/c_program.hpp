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
    /// The same from raw values, or the number of classes if anything else differs; empty if the export
    /// takes none.
    std::vector<int> raw_predicted;
};

/// Rows for an export: quantised columns, and their raw values if the quantiser has these.
struct CRows {
    std::span<const std::int16_t> columns;
    std::span<const std::int32_t> raw;
};

/// $CC, or "cc".
std::string c_compiler();
/// Error(kUnavailable) if there is no such program.
void check_c_compiler();

/// Compiles the export in `folder`, written with these options, and gives it `rows`, row by row. Error(kUnavailable) without a compiler, Error(kInternal) if the export does
/// not compile or fails to run.
CAnswers run_c(const std::filesystem::path& folder, const emit::COptions& options,
               const packed::Network& network, const CRows& rows);

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
