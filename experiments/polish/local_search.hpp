// Local search in the clipped network: flips the least sure weights one at a time, in order of |h|,
// and keeps a flip that lowers the errors on the given rows, or at equal errors raises the summed margin.
// Networks of two layers on dense rows; layer 1 reads real inputs, not quantised ones.
#pragma once

#include <span>

#include "bitbayes/types/rows.hpp"
#include "learn/model_state.hpp"

namespace bitbayes::experiments {

learn::SignPattern local_search(const learn::ModelState& model, const learn::SignPattern& start,
                                const Rows& data, std::span<const std::size_t> rows,
                                std::span<const std::uint32_t> labels, std::size_t flips);

}  // namespace bitbayes::experiments
