// Wrong labels: P(y | z) = eps + (1 - 2 eps) Phi(y z) at each output.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace bitbayes::learn {

struct LabelNoise {
    std::vector<float> eps;  // of each output; empty: 0
    bool automatic = false;  // eps follows the output's own errors while it learns

    /// After a row that was answered with z, one per output; it counts `weight` times.
    void follow(std::span<const float> z, std::uint32_t label, float weight);

    bool operator==(const LabelNoise&) const = default;
};

/// Where an automatic eps starts.
inline constexpr float kFirstLabelNoise = 0.1f;

/// +1 or -1: what output `k` should say to a row of class `label`. One output: +1 for class 1.
inline float target_of(std::uint32_t label, std::size_t k, std::size_t outputs) {
    return label == (outputs == 1 ? 1 : k) ? 1.0f : -1.0f;
}

/// An automatic eps after a row: the share of wrong signs among the last thousand or so.
inline float followed(float eps, float z, float y) {
    constexpr float kRows = 1000, kMin = 1e-4f, kMax = 0.45f;
    const float wrong = (z >= 0) == (y > 0) ? 0.0f : 1.0f;
    return std::clamp(eps + (wrong - eps) / kRows, kMin, kMax);
}

inline void LabelNoise::follow(std::span<const float> z, std::uint32_t label, float weight) {
    if (!automatic || weight == 0) return;
    for (std::size_t k = 0; k < z.size(); ++k) {
        eps[k] = followed(eps[k], z[k], target_of(label, k, z.size()));
    }
}

}  // namespace bitbayes::learn
