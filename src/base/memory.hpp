// How much memory there is, and amounts of it as text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace bitbayes {

/// What this process may use: the least of the machine's memory, its control group's limit and
/// RLIMIT_AS.
std::uint64_t memory_of_machine();

/// `asked`, or most of the machine's memory if that is 0.
std::uint64_t memory_budget(std::uint64_t asked);

/// The limit of the control group (version 1 or 2) that `membership`, a file like
/// /proc/self/cgroup, names, or of a group above it; UINT64_MAX without one.
std::uint64_t control_group_limit(const std::string& membership = "/proc/self/cgroup",
                                  const std::string& mounted_at = "/sys/fs/cgroup");

/// "812 bytes", "1.5 MB", "9.3 GB": powers of 1024.
std::string bytes_text(std::uint64_t bytes);

/// "4096", "64K", "1.5M", "2G", "1T", in powers of 1024; nullopt for anything else.
std::optional<std::uint64_t> parse_bytes(std::string_view text);

}  // namespace bitbayes
