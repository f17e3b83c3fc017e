// What a sweep's TOML file says (docs/sweep.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bitbayes/types/options.hpp"
#include "bitbayes/types/reading.hpp"

namespace bitbayes::cli::sweep {

/// An option of training and its value, as options::set reads it.
using Setting = std::pair<const TrainOption*, std::string>;
using Settings = std::vector<Setting>;

/// The values of one option in [grid].
struct GridAxis {
    const TrainOption* option;
    std::vector<std::string> values;
};

/// What [draw] draws an option from: the values if there are any, else the range.
struct DrawRange {
    const TrainOption* option;
    std::vector<std::string> values;
    double low = 0, high = 0;
    bool log = false;
};

struct Config {
    std::string name;  // of the file
    std::string data, test;
    std::optional<double> hold_out;
    std::uint64_t folds = 0;  // 0: no cross-validation
    std::string best = "error_mean";
    std::uint64_t draws = 0, draw_seed = 1;
    ReadOptions reading;
    Settings options;
    std::vector<GridAxis> grid;
    std::vector<DrawRange> draw;
    std::vector<Settings> runs;

    /// Options that differ between runs, as the file says, in the order of the table of options.
    std::vector<const TrainOption*> varied() const;
};

/// Figures that may choose the best run; the lowest wins.
inline constexpr const char* kFigures[] = {"error_map", "error_mean", "nll", "brier", "ece"};

/// Error(kUsage) that names file and line for text that is not such a file, Error(kIo) if it cannot be
/// read.
Config read_config(const std::string& path);
Config parse_config(std::string_view text, const std::string& name);

}  // namespace bitbayes::cli::sweep
