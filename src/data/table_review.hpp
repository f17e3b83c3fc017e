// A second look at a table that was read to be trained on: what can only mislead is left out, and
// notes say what was probably not meant, each with what to do.
#pragma once

#include <vector>

#include "bitbayes/types/dataset.hpp"

namespace bitbayes::data {

/// Also sorts the categories. `keep`, one per feature: columns that are never left out.
void review_table(Dataset& data, const std::vector<bool>& keep);

/// Notes on labels, whatever the format of the file. `spellings` are the labels as the file has
/// them, each once.
std::vector<std::string> label_notes(const Dataset& data,
                                     const std::vector<std::string>& spellings);

}  // namespace bitbayes::data
