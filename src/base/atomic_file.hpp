// Files appear whole or not at all: written to a temporary name beside the target, synced, renamed.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace bitbayes {

/// Throws Error(kIo) if `path` exists (and `overwrite` is false), is a folder, or its folder cannot
/// be written to. Meant to be called before any work starts. Removes what killed processes left of
/// this output.
void check_output(const std::string& path, bool overwrite);

/// Throws Error(kIo) if the disk of `path` has less room than that many bytes.
void check_room(const std::string& path, std::uint64_t bytes);

/// Whether both names lead to one file, through links too. The file may be missing.
bool same_file(const std::string& a, const std::string& b);

/// What becomes of a file that has the name already.
enum class Existing { kReplace, kKeep };

/// Receives pieces of the new file in order.
using FileSink = std::function<void(std::span<const char>)>;

/// Writes what `fill` sends to its sink. On any failure, disk full included, the old file is
/// intact, the temporary one is removed, and Error(kIo) is thrown. With kKeep, a file that appeared
/// in the meantime is such a failure: of several programs that write one name, one succeeds.
void write_atomically(const std::string& path, const std::function<void(const FileSink&)>& fill,
                      Existing existing = Existing::kReplace);

void write_atomically(const std::string& path, std::string_view content,
                      Existing existing = Existing::kReplace);

}  // namespace bitbayes
