// The learner of networks with dense hidden layers on the CPU.
#pragma once

#include <memory>

#include "kernels/table.hpp"
#include "learn/learner.hpp"

namespace bitbayes::learn {

/// `kernels` must outlive the learner.
std::unique_ptr<Learner> make_dense_learner(LearnerStart start, unsigned threads,
                                            const kernels::KernelTable& kernels);

}  // namespace bitbayes::learn
