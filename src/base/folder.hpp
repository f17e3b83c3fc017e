// Outputs that are a folder of files.
#pragma once

#include <map>
#include <string>

namespace bitbayes {

/// Path relative to the folder, and text.
using FolderFiles = std::map<std::string, std::string>;

/// Error(kIo) if `folder` is not a folder, cannot be written to, or is not empty and `overwrite` is
/// false. Meant to be called before any work starts.
void check_folder(const std::string& folder, bool overwrite);

/// Writes every file, folders included, each one atomically.
void write_files(const std::string& folder, const FolderFiles& files);

/// The list of files that write_together wrote, in the same folder.
inline constexpr const char* kFileList = ".bitbayes-files";

/// As write_files, but all of them appear at once, and what an earlier call wrote into this folder
/// is gone; other files stay. On any failure, disk full included, the folder is as it was.
/// Where the folder cannot be swapped as a whole (it is where a disk is mounted, or the file
/// system cannot exchange two names) a kill may hit between the names of finished files.
void write_together(const std::string& folder, const FolderFiles& files);

}  // namespace bitbayes
