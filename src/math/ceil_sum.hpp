// ceil of the exact sum of finite doubles: no rounding on the way.
#pragma once

#include <cmath>
#include <span>
#include <utility>
#include <vector>

namespace bitbayes::math {

/// The sum is kept as doubles that do not overlap, the largest last (Shewchuk 1997): the others add
/// up to less than half of the last one's last bit, so they matter only if the last one is whole.
/// For |sum| < 2^52.
inline double ceil_sum(std::span<const double> values) {
    std::vector<double> parts;
    for (double x : values) {
        std::size_t kept = 0;
        for (double y : parts) {
            if (std::fabs(x) < std::fabs(y)) std::swap(x, y);
            const double high = x + y;
            const double low = y - (high - x);
            if (low != 0) parts[kept++] = low;
            x = high;
        }
        parts.resize(kept);
        parts.push_back(x);
    }
    while (!parts.empty() && parts.back() == 0) parts.pop_back();
    if (parts.empty()) return 0;
    const double rounded = std::ceil(parts.back());
    const bool more = rounded == parts.back() && parts.size() > 1 && parts[parts.size() - 2] > 0;
    return more ? rounded + 1 : rounded;
}

}  // namespace bitbayes::math
