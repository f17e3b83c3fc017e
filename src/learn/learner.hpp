// Blocks of samples through the trees of a network. The output trees share nothing but the input,
// so a tree is the unit of work: a thread takes a tree through the whole block, and the threads
// meet at its end. With fewer trees than threads the neurons of layer 1 are shared out instead,
// with one barrier per sample. The bytes are the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/thread_team.hpp"
#include "data/preprocess.hpp"
#include "kernels/table.hpp"
#include "learn/posterior.hpp"

namespace bitbayes::learn {

struct LearnTarget {
    std::span<const std::uint32_t> labels;  // one class index per row; one output: class 1 is +1
    float rate = 1;                         // ModelState::rate()
};

/// z = mu_L / sigma_L (BackProp: u_L) of each output, rows x outputs.
void answer_block(const Posterior& posterior, const kernels::KernelTable& kernels, ThreadTeam& team,
                  const data::InputBlock& block, std::span<float> z);

/// Learns the rows in order; z are the outputs of each row before it was learned.
void learn_block(Posterior& posterior, const kernels::KernelTable& kernels, ThreadTeam& team,
                 const data::InputBlock& block, const LearnTarget& target, std::span<float> z);

}  // namespace bitbayes::learn
