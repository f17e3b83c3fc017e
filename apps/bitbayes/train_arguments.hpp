// All arguments of `bitbayes train`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bitbayes/types/options.hpp"
#include "options.hpp"

namespace bitbayes::cli {

struct TrainArguments {
    Common common;
    ReadOptions reading;
    /// Options that were given, with their values; the defaults of the others depend on the data.
    std::vector<std::pair<const TrainOption*, std::string>> given;
    std::string data, test, model, checkpoint, resume, metrics;
    std::optional<double> hold_out;
    std::uint64_t every = 0;

    /// `defaults` with the given values.
    TrainOptions options(TrainOptions defaults) const;
};

void add_train_arguments(CLI::App& command, TrainArguments& arguments);

}  // namespace bitbayes::cli
