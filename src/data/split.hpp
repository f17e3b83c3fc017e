// Choosing rows: hold-out; and the fingerprint of a table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bitbayes/types/reading.hpp"
#include "bitbayes/types/rows.hpp"

namespace bitbayes::data {

/// Moves round(fraction * n) rows of each class, drawn by Philox(seed), into a test set; at least
/// one row of each class stays in training. With groups the shares are approximate: rows of one group
/// stay together. Both keep the order of the rows.
LoadedData hold_out(Dataset whole, double fraction, std::uint64_t seed);

/// SHA-256 of everything that training reads of the data: shape, values, labels, class names,
/// weights if there are any.
std::string fingerprint(const LabelledRows& data);

}  // namespace bitbayes::data
