// How much each column of the data matters to a network, from its posterior alone.
#pragma once

#include <cstddef>
#include <vector>

#include "learn/model_state.hpp"

namespace bitbayes::learn {

/// Per column: its share in the variance of the outputs, averaged over them. The shares sum to 1, or
/// are all 0. importance.cpp states what is approximated.
std::vector<double> column_importance(const ModelState& model);

/// Inputs of layer 1 that a column becomes; 0 if it was constant in training.
std::size_t inputs_of_column(const data::Preprocessing& preprocessing, std::size_t column);

}  // namespace bitbayes::learn
