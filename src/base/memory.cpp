#include "base/memory.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "base/text.hpp"

namespace bitbayes {

namespace {

constexpr std::uint64_t kNoLimit = UINT64_MAX;
constexpr std::string_view kUnits = "KMGT";

/// The number in the file; kNoLimit for "max" or without such a file.
std::uint64_t limit_in(const std::string& path) {
    std::ifstream file(path);
    std::uint64_t limit = 0;
    return file >> limit ? limit : kNoLimit;
}

/// The lowest limit of the group and those above it.
std::uint64_t lowest_limit(const std::string& root, std::string group, const std::string& file) {
    std::uint64_t lowest = limit_in(root + "/" + file);
    while (!group.empty() && group != "/") {
        lowest = std::min(lowest, limit_in(root + group + "/" + file));
        group.erase(group.rfind('/'));
    }
    return lowest;
}

std::uint64_t physical_memory() {
    const long pages = ::sysconf(_SC_PHYS_PAGES), size = ::sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0
               ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(size)
               : kNoLimit;
}

std::uint64_t address_space_limit() {
    rlimit limit{};
    const bool known = ::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    return known ? limit.rlim_cur : kNoLimit;
}

}  // namespace

std::uint64_t control_group_limit(const std::string& membership, const std::string& mounted_at) {
    std::uint64_t lowest = kNoLimit;
    std::ifstream groups(membership);
    for (std::string line; std::getline(groups, line);) {  // NUMBER:CONTROLLERS:/GROUP
        const std::size_t first = line.find(':'), second = line.find(':', first + 1);
        if (second == line.npos || line.compare(second + 1, 1, "/") != 0) continue;
        const std::string group = line.substr(second + 1);
        const std::string controllers = line.substr(first + 1, second - first - 1);
        if (controllers.empty()) {
            lowest = std::min(lowest, lowest_limit(mounted_at, group, "memory.max"));
        } else if (controllers == "memory") {
            lowest = std::min(lowest,
                              lowest_limit(mounted_at + "/memory", group, "memory.limit_in_bytes"));
        }
    }
    return lowest;
}

std::uint64_t memory_of_machine() {
    return std::min({physical_memory(), control_group_limit(), address_space_limit()});
}

std::uint64_t memory_budget(std::uint64_t asked) {
    return asked != 0 ? asked : memory_of_machine() / 5 * 4;
}

std::string bytes_text(std::uint64_t bytes) {
    if (bytes < 1024) return fmt::format("{} bytes", bytes);
    auto amount = static_cast<double>(bytes) / 1024;
    std::size_t unit = 0;
    for (; amount >= 999.5 && unit + 1 < kUnits.size(); ++unit) amount /= 1024;
    return fmt::format("{:.{}f} {}B", amount, amount < 9.95 ? 1 : 0, kUnits[unit]);
}

std::optional<std::uint64_t> parse_bytes(std::string_view text) {
    double factor = 1;
    if (const std::size_t unit = text.empty() ? kUnits.npos : kUnits.find(text.back());
        unit != kUnits.npos) {
        for (std::size_t u = 0; u <= unit; ++u) factor *= 1024;
        text.remove_suffix(1);
    }
    const auto number = parse_number(text);
    if (!number || *number < 0 || *number * factor >= 0x1p63) return std::nullopt;
    return static_cast<std::uint64_t>(*number * factor);
}

}  // namespace bitbayes
