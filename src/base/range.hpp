// Consecutive things: trees, rows, panels.
#pragma once

#include <algorithm>
#include <cstddef>

namespace bitbayes {

struct Range {
    std::size_t first = 0;
    std::size_t count = 0;

    std::size_t end() const { return first + count; }
    bool operator==(const Range&) const = default;
};

/// Part `part` of `parts` that differ by one at most, the larger ones first.
inline Range share_of(std::size_t total, std::size_t part, std::size_t parts) {
    const std::size_t each = total / parts, more = total % parts;
    return {part * each + std::min(part, more), each + (part < more ? 1 : 0)};
}

}  // namespace bitbayes
