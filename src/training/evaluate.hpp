// Answers and figures of a model, or of several that answer together, on rows.
#pragma once

#include <span>
#include <vector>

#include "bitbayes/types/answer.hpp"
#include "bitbayes/types/rows.hpp"
#include "learn/members.hpp"
#include "packed/network.hpp"

namespace bitbayes::training {

/// Answers of the Bayes average, by at most `threads` threads; 0: all.
std::vector<Answer> mean_answers(const learn::Members& members, const Rows& data,
                                 unsigned threads = 0);

/// Weights that the clipped network holds at a time, or those of one tree (of every member) if that
/// has more.
inline constexpr std::size_t kClippedTogether = 1 << 24;

/// Answers of the clipped network, built a few trees at a time so that it stays small compared to
/// the posterior. Of several members: of their committee, which adds scores.
std::vector<packed::Answer> clipped_answers(const learn::Members& members, const Rows& data,
                                            unsigned threads = 0);

/// Share of the rows that the clipped network answers wrongly.
double clipped_error(const learn::Members& members, const LabelledRows& data, unsigned threads = 0);

/// Leaves Evaluation::per_class empty, or fills it in, which takes memory for rows x classes.
enum class PerClass { kNo, kYes };

Evaluation evaluate(const learn::Members& members, const LabelledRows& data, unsigned threads = 0,
                    PerClass per_class = PerClass::kNo);
/// The same with the clipped network's answers given.
Evaluation evaluate(const learn::Members& members, const LabelledRows& data,
                    std::span<const packed::Answer> clipped, unsigned threads = 0,
                    PerClass per_class = PerClass::kNo);

}  // namespace bitbayes::training
