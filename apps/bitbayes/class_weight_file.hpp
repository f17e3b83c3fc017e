#pragma once

#include <string>
#include <utility>
#include <vector>

namespace bitbayes::cli {

/// The file of --class-weight FILE: lines CLASS,WEIGHT, or a JSON object {"CLASS": WEIGHT, ...}.
/// Error(kIo) if it cannot be read, Error(kData) that names the line for anything else.
std::vector<std::pair<std::string, double>> read_class_weights(const std::string& path);

}  // namespace bitbayes::cli
