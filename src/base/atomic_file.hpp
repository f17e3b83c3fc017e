// Files appear whole or not at all: written to a temporary name beside the target, synced, renamed.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace bitbayes {

/// Throws Error(kIo) if `path` exists (and `overwrite` is false), is a folder, or its folder cannot
/// be written to. Meant to be called before any work starts.
void check_output(const std::string& path, bool overwrite);

/// Receives pieces of the new file in order.
using FileSink = std::function<void(std::span<const char>)>;

/// Writes what `fill` sends to its sink. On any failure, disk full included, the old file is
/// intact, the temporary one is removed, and Error(kIo) is thrown.
void write_atomically(const std::string& path, const std::function<void(const FileSink&)>& fill);

void write_atomically(const std::string& path, std::string_view content);

}  // namespace bitbayes
