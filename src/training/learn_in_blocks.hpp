#pragma once

#include <functional>
#include <span>

#include "data/shift.hpp"
#include "learn/live_model.hpp"

namespace bitbayes::training {

/// Learns the rows of `order`, whose labels and weights (may be empty) are those of all rows. `go_on`
/// (may be empty) is asked before each block; false if it stopped the pass.
bool learn_in_blocks(learn::LiveModel& model, const Rows& rows, std::span<const std::size_t> order,
                     std::span<const std::uint32_t> labels, std::span<const float> weights,
                     const data::Shift& shift, const std::function<bool()>& go_on);

}  // namespace bitbayes::training
