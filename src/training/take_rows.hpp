#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace bitbayes::training {

/// The elements of some rows; none of an empty list, such as the weights of rows that all count once.
template <class T>
void take_rows(std::span<const T> all, std::span<const std::size_t> rows, std::vector<T>& out) {
    out.clear();
    if (all.empty()) return;
    for (const std::size_t r : rows) out.push_back(all[r]);
}

}  // namespace bitbayes::training
