// NPZ files: a ZIP archive with the arrays X (rows, then features in any number of dimensions) and
// usually y.
#pragma once

#include <string>
#include <string_view>

#include "bitbayes/types/dataset.hpp"
#include "data/input.hpp"

namespace bitbayes::data {

Dataset read_npz(Input& input);

/// The same from memory.
Dataset read_npz(std::string_view archive, const std::string& name);

}  // namespace bitbayes::data
