// Answers and figures of a model on rows.
#pragma once

#include <span>
#include <vector>

#include "bitbayes/types/answer.hpp"
#include "bitbayes/types/rows.hpp"
#include "learn/live_model.hpp"
#include "packed/network.hpp"

namespace bitbayes::training {

/// Of the Bayes average; `threads` at most, 0: all.
std::vector<Answer> mean_answers(const learn::LiveModel& model, const Rows& data,
                                 unsigned threads = 0);

/// Of the clipped network, made of a few trees at a time, so that it is small beside the posterior.
std::vector<packed::Answer> clipped_answers(const learn::LiveModel& model, const Rows& data,
                                            unsigned threads = 0);

Evaluation evaluate(const learn::LiveModel& model, const LabelledRows& data, unsigned threads = 0);
/// With the clipped network's answers at hand.
Evaluation evaluate(const learn::LiveModel& model, const LabelledRows& data,
                    std::span<const packed::Answer> clipped, unsigned threads = 0);

}  // namespace bitbayes::training
