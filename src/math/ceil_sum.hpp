// ceil(sum_k x_k) of finite doubles, of the exact sum: no rounding on the way.
#pragma once

#include <cmath>
#include <span>
#include <utility>
#include <vector>

namespace bitbayes::math {

/// The sum is kept as doubles that do not overlap, the largest last (Shewchuk 1997): what is below
/// the last one is less than half of its last bit, so it matters only if the last one is whole.
/// For sums below 2^52 in size.
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
