// How trees are laid over a card.
#pragma once

#include "cuda/card.hpp"

namespace bitbayes::cuda {

/// Blocks, threads and the place of layer 1 for a lesson: on chip if all of the trees fits into the shared memory of all blocks that
/// can run at the same time, else in the card's memory.
TreePlan plan_lesson(const Trees& trees, const CardLimits& limits);

/// For a lesson beside others: half of a multiprocessor, so that one network computes while another waits; h that does not
/// fit is streamed from the card's memory. That of plan_lesson() where it takes no more than half, and where half is too little.
TreePlan plan_together(const Trees& trees, const CardLimits& limits);

/// Rows per block, threads and memory of a question about so many rows.
void plan_question(TreeQuestion& question, const CardLimits& limits);

/// For a product the tiles that take the least time on so many multiprocessors.
DenseGrid plan_work(const DenseWork& work, const CardLimits& limits);

/// For people: "13 blocks of 384 threads per tree, posterior on chip".
std::string describe(const Trees& trees, const TreePlan& plan);
/// The same of a forward step: "128 blocks of 256 threads, 208 rows x 32 neurons each".
std::string describe(const DenseWork& forward, const CardLimits& limits);

}  // namespace bitbayes::cuda
