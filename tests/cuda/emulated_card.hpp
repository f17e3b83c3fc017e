// A card that is none: every thread of a launch is a fiber, and fibers take turns in an order that
// changes from round to round. Runs the same source as the card's kernels, so that CI knows their
// results, and sees most of the barriers that are missing. What it cannot show are memory orders:
// only one fiber runs at a time, and all see its writes.
#pragma once

#include <memory>

#include "cuda/card.hpp"

namespace bitbayes::cuda {

/// Cards that share a queue are one card.
std::unique_ptr<Card> emulated_card(const CardLimits& limits, LessonQueue* queue = nullptr);

/// Another card that says it has less, so that small networks are laid over it in all ways.
std::unique_ptr<Card> limited_card(std::unique_ptr<Card> card, const CardLimits& limits);

}  // namespace bitbayes::cuda
