// Downloads the named data sets.
#pragma once

#include <string>

namespace bitbayes::tools {

/// Downloads the data set into its folder, unless correct files are there and `force` is false;
/// returns the folder. Error(kUsage): no such name; kUnavailable: the files cannot be obtained;
/// kData: they are not the expected ones.
std::string fetch(const std::string& name, bool force);

}  // namespace bitbayes::tools
