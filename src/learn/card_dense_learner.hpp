// The learner of dense networks on a card; make_card_learner() says what it takes.
#pragma once

#include <memory>

#include "cuda/card.hpp"
#include "learn/learner.hpp"

namespace bitbayes::learn {

std::unique_ptr<Learner> make_card_dense_learner(LearnerStart start,
                                                 std::unique_ptr<cuda::Card> card);

}  // namespace bitbayes::learn
