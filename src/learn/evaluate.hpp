// Answers and figures of a model on a data set.
#pragma once

#include <vector>

#include "base/thread_team.hpp"
#include "bitbayes/model.hpp"
#include "kernels/table.hpp"
#include "learn/model_state.hpp"

namespace bitbayes::learn {

std::vector<Answer> answers(const ModelState& model, const Dataset& data, Mode mode,
                            const kernels::KernelTable& kernels, ThreadTeam& team);

Evaluation evaluate(const ModelState& model, const Dataset& data,
                    const kernels::KernelTable& kernels, ThreadTeam& team);

}  // namespace bitbayes::learn
