// Everything that can be said to `bitbayes train`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bitbayes/train.hpp"
#include "options.hpp"

namespace bitbayes::cli {

struct TrainArguments {
    Common common;
    ReadOptions reading;
    TrainOptions options;  // tree and epochs: see below
    std::string algorithm = "mfb";
    std::string data, test, model, checkpoint, resume, metrics;
    bool tree_given = false;  // --tree or --single; else the data decides
    std::optional<std::uint64_t> epochs;
    std::optional<double> hold_out;
    std::uint64_t every = 0;
};

void add_train_arguments(CLI::App& command, TrainArguments& arguments);

}  // namespace bitbayes::cli
