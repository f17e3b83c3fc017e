// Clipping and folding: from a posterior and its preprocessing to the network on integers.
//
//   W = sign(h), sign(0) = +1, or the polished pattern; a committee's further members draw W from the
//   posterior.
//   layer 1: t_i = ceil((sum_k W_ik m_k - W_ic s) / unit), in one function: fold_threshold.
//   dense layers above: t_i = -W_ic.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "learn/model_state.hpp"
#include "packed/network.hpp"

namespace bitbayes::clip {

packed::Network clip(const learn::ModelState& model);
/// Clips only the output trees from `first` on whose posterior is `trees`, without class names;
/// model.posterior is not read.
packed::Network clip_trees(const learn::ModelState& model, const learn::Posterior& trees,
                           std::size_t first = 0);

/// The clipped network and `draws` networks drawn from the posterior, which add their scores. Error(kUsage) for BackProp,
/// which has no posterior.
packed::Network clip_committee(const learn::ModelState& model, std::size_t draws,
                               std::uint64_t seed);

/// A committee of the clipped networks of models that answer together, each followed by `draws`
/// networks drawn from its posterior; those of member m with `seed` + m. All add their scores. One
/// model: as above.
packed::Network clip_members(std::span<const learn::ModelState> members, std::size_t draws = 0,
                             std::uint64_t seed = 0);

}  // namespace bitbayes::clip
