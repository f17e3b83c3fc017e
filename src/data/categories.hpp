// Columns of words in a table: codes, and the lists of words that they index.
#pragma once

#include <cstddef>
#include <type_traits>
#include <variant>

#include "bitbayes/types/dataset.hpp"

namespace bitbayes::data {

/// Calls visit with a reference to the value of each row in column j; not for sparse rows.
template <class Visit>
void for_each_value(Dataset& data, std::size_t j, const Visit& visit) {
    std::visit(
        [&]<class V>(V& values) {
            if constexpr (!std::is_same_v<V, SparseRows>) {
                for (std::size_t r = 0; r < data.rows; ++r) visit(values[r * data.features + j]);
            }
        },
        data.values);
}

/// Codes in the order of appearance become indices into sorted lists.
void sort_categories(Dataset& data);

/// Categories that do not occur in `train` become missing values in `test`, and are forgotten: a
/// model must not know of values that it could not learn.
void keep_seen_categories(Dataset& train, Dataset& test);

}  // namespace bitbayes::data
