// How much each column of the data matters to a network, from its file alone.
#pragma once

#include <cstddef>
#include <vector>

#include "learn/model_state.hpp"

namespace bitbayes::learn {

/// Per column that the model has (a sparse model: those that it keeps): how much the outputs change when the column of a row is replaced by that of another
/// row, as a share of the sum over all columns; all 0 if nothing changes them. The rows are made up
/// from what the model remembers of its training data; importance.cpp states how.
std::vector<double> column_importance(const ModelState& model);

/// The inputs of layer 1 that a column becomes; none if it was constant in training.
struct InputRange {
    std::size_t first = 0;
    std::size_t count = 0;
};
InputRange inputs_of_column(const data::Preprocessing& preprocessing, std::size_t column);

}  // namespace bitbayes::learn
