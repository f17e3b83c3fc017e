// Outputs that would destroy an input, or each other.
#pragma once

#include <string>
#include <vector>

namespace bitbayes::cli {

/// The files that DATA arguments name; empty arguments are left out.
std::vector<std::string> data_files(const std::vector<std::string>& data);

/// Error(kUsage) if two outputs are one file, or an output is one of the inputs, whether the files
/// exist or not. Empty names are left out.
void check_apart(const std::vector<std::string>& outputs, const std::vector<std::string>& inputs);

}  // namespace bitbayes::cli
