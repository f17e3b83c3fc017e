// Choosing rows: hold-out, and labels seen through a model's class names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bitbayes/dataset.hpp"

namespace bitbayes::data {

/// Moves round(fraction * n) rows of each class, drawn by Philox(seed), into a test set; at least
/// one row of each class stays in training. Both keep the order of the rows.
LoadedData hold_out(Dataset whole, double fraction, std::uint64_t seed);

/// labels of `data` as indices into `class_names`; Error(kData) names a class that is not there, or
/// says that the data has no labels. Integers match by value: "+1" is "1".
std::vector<std::uint32_t> labels_among(const Dataset& data,
                                        const std::vector<std::string>& class_names);

/// SHA-256 of everything that training reads of the data: shape, values, labels, class names.
std::string fingerprint(const Dataset& data);

}  // namespace bitbayes::data
