// The learner of converging trees on the CPU.
#pragma once

#include <memory>

#include "kernels/table.hpp"
#include "learn/learner.hpp"

namespace bitbayes::learn {

/// `kernels` must outlive the learner.
std::unique_ptr<Learner> make_tree_learner(LearnerStart start, const Context& context,
                                           const kernels::KernelTable& kernels);

}  // namespace bitbayes::learn
