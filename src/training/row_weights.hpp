// How many times each row counts in training.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bitbayes/types/rows.hpp"

namespace bitbayes::training {

/// Error(kData) that names the first row whose weight is not a number from 0 to 1e9.
void check_weights(const LabelledRows& data);

/// The weights of the rows times those of their classes; empty: 1 each. "balanced" gives a class with
/// n_c of the n rows the weight n / (classes n_c), so that every class counts as much as any other;
/// "" gives each class 1.
std::vector<float> row_weights(const LabelledRows& data, std::string_view class_weight);

/// The same with a weight for some classes, by name; 1 for the others. Error(kData) for a name that
/// no class has.
std::vector<float> row_weights(const LabelledRows& data,
                               std::span<const std::pair<std::string, double>> class_weights);

}  // namespace bitbayes::training
