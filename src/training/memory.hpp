// What a run will take, computed before it is taken.
#pragma once

#include <cstdint>

#include "bitbayes/types/options.hpp"
#include "bitbayes/types/rows.hpp"
#include "learn/architecture.hpp"

namespace bitbayes::training {

/// About the most bytes that a run holds at a time: its table, the numbers of every weight and their
/// copy for files, evaluation and scratch. `options` are decided.
std::uint64_t memory_of_run(const Rows& training, const learn::Architecture& architecture,
                            const TrainOptions& options);

/// Error(kData) if that is beyond the budget.
void check_memory(const Rows& training, const learn::Architecture& architecture,
                  const TrainOptions& options);

/// About the most bytes of a card that a run holds at a time; 0 if `options` name none.
std::uint64_t card_memory_of_run(const Rows& training, const learn::Architecture& architecture,
                                 const TrainOptions& options);

/// How many such runs on the same rows can be there at a time, by the budget of the host and by what is free on the card: at least 1, at
/// most `most`.
std::size_t runs_together(const Rows& training, const learn::Architecture& architecture,
                          const TrainOptions& options, std::uint64_t free_on_card,
                          std::size_t most);

/// As check_memory() for sparse rows that preprocessing makes dense, before it counts their columns.
void check_dense_columns(const Rows& training, const TrainOptions& options);

}  // namespace bitbayes::training
