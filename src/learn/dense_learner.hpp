// The learner of networks with dense hidden layers on the CPU.
#pragma once

#include <memory>

#include "kernels/table.hpp"
#include "learn/learner.hpp"

namespace bitbayes::learn {

/// Rows that a thread sends through the network together when it answers: few if it has many neurons,
/// which need not have many weights.
std::size_t answer_rows(const Architecture& architecture);

/// `kernels` must outlive the learner.
std::unique_ptr<Learner> make_dense_learner(LearnerStart start, const Context& context,
                                            const kernels::KernelTable& kernels);

}  // namespace bitbayes::learn
