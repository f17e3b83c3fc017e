// Outputs that are a folder of files.
#pragma once

#include <map>
#include <string>

namespace bitbayes {

/// Path relative to the folder, and text.
using FolderFiles = std::map<std::string, std::string>;

/// Error(kIo) if `folder` is not a folder, or is not empty and `overwrite` is false. Meant to be
/// called before any work starts.
void check_folder(const std::string& folder, bool overwrite);

/// Writes every file, folders included, each one atomically.
void write_files(const std::string& folder, const FolderFiles& files);

}  // namespace bitbayes
