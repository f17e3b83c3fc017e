// Brings the named data sets to this machine.
#pragma once

#include <string>

namespace bitbayes::tools {

/// Brings the data set into its folder, unless good files are there and `force` is false; returns
/// the folder. Error(kUsage): no such name; kUnavailable: the files are not to be had; kData: they
/// are not the right ones.
std::string fetch(const std::string& name, bool force);

}  // namespace bitbayes::tools
