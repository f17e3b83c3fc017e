// Which thermometer inputs to keep if there may be only so many.
//
//   gain of a threshold = how much it lowers n (1 - sum_k p_k^2), the Gini impurity of the labels, by
//   splitting the interval between the thresholds of its column that are kept already
//
// The best of all columns is kept, again and again. A column of words is kept as a whole or not at all,
// at its gain per word.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bitbayes/types/rows.hpp"
#include "data/preprocess.hpp"

namespace bitbayes::data {

/// For each threshold of `p`, 1 if it is among the best `budget`. One label per row.
std::vector<std::uint8_t> best_thresholds(const Rows& training, const Preprocessing& p,
                                          std::span<const std::uint32_t> labels,
                                          std::size_t budget);

}  // namespace bitbayes::data
