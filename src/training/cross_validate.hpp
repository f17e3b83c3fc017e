// Cross-validation: one run of the trainer per fold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "bitbayes/types/answer.hpp"
#include "bitbayes/types/dataset.hpp"
#include "bitbayes/types/options.hpp"
#include "bitbayes/types/reports.hpp"
#include "dist/communicator.hpp"

namespace bitbayes::training {

/// Trains on the rows that are not in `fold` and evaluates those that are; nullopt if `progress`
/// stopped it.
std::optional<Evaluation> evaluate_fold(const Dataset& data,
                                        std::span<const std::uint32_t> fold_of_row,
                                        std::uint32_t fold, const TrainOptions& options,
                                        const std::function<bool(const TrainProgress&)>& progress,
                                        dist::Communicator& ranks = dist::alone());

}  // namespace bitbayes::training
