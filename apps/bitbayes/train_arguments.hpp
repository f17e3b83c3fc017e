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
    std::string read = "first";  // who reads DATA under mpirun
    std::string class_weights;   // the FILE of --class-weight
    std::optional<double> hold_out;
    std::uint64_t folds = 0;  // of --cv; 0: no cross-validation
    std::uint64_t every = 0;
    std::uint64_t members = 1;

    /// Nothing but DATA, and how to learn: then `train` tests on held-out rows and keeps the model.
    bool only_data() const {
        return !common.json && !hold_out && folds == 0 && test.empty() && model.empty() &&
               checkpoint.empty() && resume.empty() && metrics.empty();
    }

    /// `defaults` with the given values.
    TrainOptions options(TrainOptions defaults) const;
};

void add_train_arguments(CLI::App& command, TrainArguments& arguments);

}  // namespace bitbayes::cli
