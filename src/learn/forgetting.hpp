// Evidence that fades: h <- h0 + rho (h - h0) with rho = 1 - 1/N per sample, h0 the drawn prior. What
// was learned N samples ago counts 1/e. Learners take the steps of kernels::kRefreshEvery samples at
// once, whenever the model's sample count passes a multiple of it; h of inputs that are never learned
// is h0 and stays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "math/power.hpp"

namespace bitbayes::learn {

/// 1 - rho^samples: the share of h - h0 that so many samples forget. `memory` is N; unset: 0.
inline float forgotten_share(std::optional<std::uint64_t> memory, std::uint64_t samples) {
    if (!memory) return 0;
    return static_cast<float>(1 - math::power(1 - 1 / static_cast<double>(*memory), samples));
}

inline void forget(float share, const float* h0, float* h, std::size_t count) {
    for (std::size_t k = 0; k < count; ++k) h[k] -= share * (h[k] - h0[k]);
}

}  // namespace bitbayes::learn
