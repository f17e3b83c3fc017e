// Learners that cannot go on: numbers beyond the range of float, and blocks that were not finished.
#pragma once

#include <bit>
#include <cstdint>
#include <span>

namespace bitbayes::learn {

inline bool all_finite(std::span<const float> values) {
    constexpr std::uint32_t kExponent = 0x7f800000;  // of infinities and NaN, and of nothing else
    bool finite = true;
    for (const float x : values)
        finite &= (std::bit_cast<std::uint32_t>(x) & kExponent) != kExponent;
    return finite;
}

/// Throws Error(kUsage) that says after how many samples.
[[noreturn]] void stop_diverged(std::uint64_t samples, bool mfb);

/// Throws Error(kInternal) if `broken`: the learner has thrown in the middle of a block.
void check_whole(bool broken);

}  // namespace bitbayes::learn
