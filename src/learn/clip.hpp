// Clipping and folding: from a posterior and its preprocessing to the network on integers.
//
//   W = sign(h), sign(0) = +1; a committee's further members draw W from the posterior.
//   t_i = ceil((sum_k W_ik m_k - W_ic s) / unit), in one function: fold_threshold.
#pragma once

#include <cstddef>
#include <cstdint>

#include "learn/model_state.hpp"
#include "packed/network.hpp"

namespace bitbayes::learn {

/// Output trees first .. first + count - 1.
struct TreeRange {
    std::size_t first = 0;
    std::size_t count = 0;
};

packed::Network clip(const ModelState& model);
/// Only these trees, and without class names.
packed::Network clip(const ModelState& model, TreeRange trees);

/// The clipped network and `draws` networks drawn from the posterior. Error(kUsage) for BackProp,
/// which has none.
packed::Network clip_committee(const ModelState& model, std::size_t draws, std::uint64_t seed);

}  // namespace bitbayes::learn
