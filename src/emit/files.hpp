// What an export consists of.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/folder.hpp"

namespace bitbayes::emit {

using Files = FolderFiles;

/// The text of a file of runtime/, by its path there: "c/network.c". Compiled in.
std::string_view runtime_file(std::string_view path);

std::vector<std::string_view> runtime_paths();

/// Error(kUsage) if a file differs from NAME's own only in case: some systems take them for one.
void check_files(const std::string& name, const Files& files);

}  // namespace bitbayes::emit
