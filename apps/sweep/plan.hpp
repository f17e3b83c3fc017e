// The runs of a sweep, each with its name and what it will cost.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sweep/config.hpp"
#include "sweep/data.hpp"
#include "terminal/output.hpp"

namespace bitbayes::cli::sweep {

struct Run {
    std::string name;      // a hash of `settings`
    Json settings;         // everything that results depend on
    TrainOptions options;  // as asked for, not decided
    std::string problem;   // why it cannot be done; empty: nothing is known
    double cost = 0;       // weights x rows x epochs
    std::uint64_t memory = 0, card_memory = 0;
};

/// In the order of the file, each once. Error(kUsage) if none of them can be done.
std::vector<Run> plan_runs(const Config& config, const Data& data);

/// "--tree 21 --seed 3": the settings of a run as `train` takes them.
std::string flags_of(const Run& run);

/// The command that repeats a run by hand.
std::string command_of(const Config& config, const Data& data, const Run& run);

/// A message of the library as a sweep shows it: option names as the file has them.
std::string plain(const std::string& message);

}  // namespace bitbayes::cli::sweep
