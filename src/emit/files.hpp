// What an export consists of.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace bitbayes::emit {

/// Path relative to the folder of the export, and text.
using Files = std::map<std::string, std::string>;

/// The text of a file of runtime/, by its path there: "c/network.c". Compiled in.
std::string_view runtime_file(std::string_view path);

/// Error(kIo) if `folder` is not a folder, or is not empty and `overwrite` is false.
void check_folder(const std::string& folder, bool overwrite);
/// Writes every file, folders included, each one atomically.
void write_files(const std::string& folder, const Files& files);

/// Error(kUsage) unless `name` can start the identifiers of C and Verilog: a letter, then letters,
/// digits and '_'; at most 32 characters.
void check_name(std::string_view name);

}  // namespace bitbayes::emit
