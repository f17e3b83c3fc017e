// The clipped network on columns that were not quantised: weights +1 and -1, but real inputs. Used
// only to measure what quantisation costs.
#pragma once

#include "base/thread_team.hpp"
#include "learn/model_state.hpp"

namespace bitbayes::clip {

double real_clip_error(const learn::ModelState& model, const LabelledRows& data, ThreadTeam& team);

}  // namespace bitbayes::clip
