// Answers and figures of a packed network on a data set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/thread_team.hpp"
#include "bitbayes/packed_network.hpp"
#include "packed/engine.hpp"
#include "packed/network.hpp"

namespace bitbayes::learn {

/// Throws Error(kData) if the rows of `data` do not have the columns of the network.
void check_columns(const packed::Network& network, const Dataset& data);

/// The rows first, first + 1, ... as a device is given them: one whole number per column.
void quantise_rows(const packed::Network& network, const Dataset& data, std::size_t first,
                   std::span<std::int16_t> columns);

/// Scores of the rows first, first + 1, ..., outputs() for each.
void score_rows(const packed::Engine& engine, const Dataset& data, std::size_t first,
                std::span<std::int64_t> scores);

/// Of all rows.
std::vector<std::int64_t> packed_scores(const packed::Network& network, const Dataset& data,
                                        ThreadTeam& team);
std::vector<packed::Answer> packed_answers(const packed::Network& network, const Dataset& data,
                                           ThreadTeam& team);

/// In the words of the public API; known if the margin is at least `abstain_below`.
Answer map_answer(const packed::Answer& answer, std::int64_t abstain_below = 0);

PackedEvaluation evaluate_packed(const packed::Network& network, const Dataset& data,
                                 ThreadTeam& team);

/// The lowest margin that brings the error of the accepted rows below `rate`. Error(kData) if none
/// does.
AbstainChoice choose_abstention(const packed::Network& network, const Dataset& data, double rate,
                                ThreadTeam& team);

}  // namespace bitbayes::learn
