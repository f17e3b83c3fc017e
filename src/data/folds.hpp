// Rows shared out among folds, class by class, groups of rows whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bitbayes/types/dataset.hpp"

namespace bitbayes::data {

/// A row that belongs to no fold: it is always trained on.
inline constexpr std::uint32_t kNoFold = UINT32_MAX;

/// The fold of each row, drawn by Philox(seed): sizes differ by one row at most, those of each class
/// too. With groups the largest come first, each into the fold that lacks its classes most. A class
/// whose rows would all be in one fold is in none. Error(kUsage) for fewer than two folds, or for so
/// many that one has no rows.
std::vector<std::uint32_t> draw_folds(const Dataset& data, std::size_t folds, std::uint64_t seed);

/// The part of each row: every group goes whole into one of the parts, which get the given shares of
/// each class as nearly as a greedy choice allows.
std::vector<std::uint32_t> share_groups(const Dataset& data, std::span<const double> shares,
                                        std::uint64_t seed);

}  // namespace bitbayes::data
