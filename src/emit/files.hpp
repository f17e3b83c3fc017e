// What an export consists of.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace bitbayes::emit {

/// Path relative to the folder of the export, and text.
using Files = std::map<std::string, std::string>;

/// The text of a file of runtime/, by its path there: "c/network.c". Compiled in.
std::string_view runtime_file(std::string_view path);

std::vector<std::string_view> runtime_paths();

/// Error(kIo) if `folder` is not a folder, or is not empty and `overwrite` is false.
void check_folder(const std::string& folder, bool overwrite);
/// Writes every file, folders included, each one atomically.
void write_files(const std::string& folder, const Files& files);

/// Error(kUsage) if a file differs from NAME's own only in case: some systems take them for one.
void check_files(const std::string& name, const Files& files);

}  // namespace bitbayes::emit
