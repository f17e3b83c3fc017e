// `train --cv K`: runs the folds, and shows what they gave.
#pragma once

#include <string>

#include "bitbayes/train.hpp"
#include "terminal/common.hpp"
#include "terminal/output.hpp"

namespace bitbayes::cli {

/// Error(kInterrupted) after SIGINT or SIGTERM.
CrossValidation run_folds(const Common& common, const Dataset& data, std::size_t folds,
                          const TrainOptions& options);

Json cross_validation_json(const CrossValidation& result);
/// A row per fold, then mean and standard deviation.
std::string cross_validation_table(const CrossValidation& result);

}  // namespace bitbayes::cli
