// One run of a sweep.
#pragma once

#include <functional>
#include <optional>

#include "learn/model_state.hpp"
#include "sweep/data.hpp"
#include "sweep/plan.hpp"

namespace bitbayes::cli::sweep {

/// {"error_map", ..., "weights", "evidence"}, with "std": {...} over the folds of a cross-validation;
/// nullopt if `go_on` stopped it. Figures that do not exist are null.
std::optional<Json> test_run(const Data& data, const Run& run, unsigned threads,
                             const std::function<bool()>& go_on);

/// The model of a run as `train` makes it: of the rows that are not held out, or, if there are folds,
/// of all.
std::optional<learn::ModelState> train_run(const Data& data, const Run& run, unsigned threads,
                                           const std::function<bool()>& go_on);

}  // namespace bitbayes::cli::sweep
