// Learners on a card.
#pragma once

#include <memory>

#include "cuda/card.hpp"
#include "learn/learner.hpp"

namespace bitbayes::learn {

/// Learns and answers with the bits of the CPU's learners. Error(kUnavailable) for what it does not
/// have: trees of more than cuda::kMaxDepth layers, dense networks over several ranks.
std::unique_ptr<Learner> make_card_learner(LearnerStart start, const Context& context,
                                           std::unique_ptr<cuda::Card> card);

}  // namespace bitbayes::learn
