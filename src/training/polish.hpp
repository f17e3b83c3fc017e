// From a posterior to a good clipped network. Clipping throws away what a posterior does not know for
// sure, and making the posterior itself sure would ruin its probabilities: so a copy is made sure,
// step by step, with the training rows correcting it. Variants and what they gave: docs/decisions.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "bitbayes/types/rows.hpp"
#include "learn/live_model.hpp"
#include "learn/sign_pattern.hpp"

namespace bitbayes::training {

struct PolishPlan {
    std::uint64_t rounds = 0;
    learn::Context context;
    learn::Practice practice;
    std::uint64_t seed = 1;
    std::size_t shift = 0;  // pixels that images are moved by
    /// Called between blocks with the round, from 1; false stops.
    std::function<bool(std::uint64_t round)> go_on = {};
};

/// The best clipped network on the training rows among that of the posterior and those after each
/// round; nullopt if it was stopped. `labels` are class indices of the model, `weights` may be empty.
std::optional<learn::SignPattern> polish(const learn::LiveModel& model, const Rows& rows,
                                         std::span<const std::uint32_t> labels,
                                         std::span<const float> weights, const PolishPlan& plan);

}  // namespace bitbayes::training
