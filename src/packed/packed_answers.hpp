// Answers and figures of a packed network on rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/range.hpp"
#include "base/thread_team.hpp"
#include "bitbayes/types/answer.hpp"
#include "bitbayes/types/rows.hpp"
#include "packed/engine.hpp"
#include "packed/network.hpp"

namespace bitbayes::packed {

/// Throws Error(kData) if the rows do not have the columns of the network.
void check_columns(const Network& network, const Rows& data);

/// Rows first, first + 1, ... as a device receives them: one integer per column of the quantiser.
void quantise_rows(const Network& network, const Rows& data, std::size_t first,
                   std::span<std::int16_t> columns);

/// All rows as raw values of the quantiser, one for each of its columns; none if it has no raw values.
std::vector<std::int32_t> raw_rows(const Network& network, const Rows& data);

/// Scores of rows first, first + 1, ..., outputs() for each.
void score_rows(const Engine& engine, const Rows& data, std::size_t first,
                std::span<std::int64_t> scores);

/// Calls visit(first, scores) for the given rows, a few at a time and on any thread; `scores` are
/// those of rows first, first + 1, ... By at most `threads` threads of the team; 0: all.
using ScoreVisitor = std::function<void(std::size_t first, std::span<const std::int64_t> scores)>;
void for_each_scores(const Engine& engine, const Rows& data, Range rows, ThreadTeam& team,
                     unsigned threads, const ScoreVisitor& visit);

/// The same for all rows at once.
std::vector<std::int64_t> scores_of(const Engine& engine, const Rows& data, ThreadTeam& team,
                                    unsigned threads = 0);
std::vector<packed::Answer> answers_of(const Engine& engine, const Rows& data, ThreadTeam& team,
                                       unsigned threads = 0);

/// Whether it is an answer, not "don't know".
bool is_known(const packed::Answer& answer, std::int64_t abstain_below);
/// How many rows hold a value far beyond those of training.
std::size_t rows_outside(const Network& network, const Rows& data);
/// As an answer of the public API.
bitbayes::Answer map_answer(const packed::Answer& answer, std::int64_t abstain_below = 0);

PackedEvaluation evaluate(const Engine& engine, const LabelledRows& data, ThreadTeam& team,
                          unsigned threads = 0);

/// The lowest margin that brings the error of the accepted rows below `rate`. Error(kData) if none
/// does.
AbstainChoice choose_abstention(const Engine& engine, const LabelledRows& data, double rate,
                                ThreadTeam& team, unsigned threads = 0);

}  // namespace bitbayes::packed
