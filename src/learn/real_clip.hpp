// The clipped network on columns that were not quantised: weights +1 and -1, but real inputs. Only
// to tell what the quantisers cost.
#pragma once

#include "base/thread_team.hpp"
#include "learn/model_state.hpp"

namespace bitbayes::learn {

double real_clip_error(const ModelState& model, const Dataset& data, ThreadTeam& team);

}  // namespace bitbayes::learn
