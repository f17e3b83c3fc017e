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
    bool automatic = false;  // eps follows the output's own errors as it learns

    /// After a row that was answered with z, one per output; it counts `weight` times.
    void follow(std::span<const float> z, std::uint32_t label, float weight);

    bool operator==(const LabelNoise&) const = default;
};

/// An automatic eps stays between these; it starts at the first.
inline constexpr float kMinLabelNoise = 1e-4f, kMaxLabelNoise = 0.45f;

/// +1 or -1: what output `k` should say to a row of class `label`. One output: +1 for class 1.
inline float target_of(std::uint32_t label, std::size_t k, std::size_t outputs) {
    return label == (outputs == 1 ? 1 : k) ? 1.0f : -1.0f;
}

/// An automatic eps after a row: the share of rows, among the last thousand or so, on which the output
/// was sure, |z| >= 1, and wrong. If errors of an unsure output counted, one that has yet to learn its
/// class would take it for noise: rows of the class push at most (1 - eps) / eps times as hard as
/// others, which is too little if eps is as large as the class's share of the rows.
inline float followed(float eps, float z, float y) {
    constexpr float kRows = 1000;
    const float wrong = y * z <= -1 ? 1.0f : 0.0f;
    return std::clamp(eps + (wrong - eps) / kRows, kMinLabelNoise, kMaxLabelNoise);
}

inline void LabelNoise::follow(std::span<const float> z, std::uint32_t label, float weight) {
    if (!automatic || weight == 0) return;
    for (std::size_t k = 0; k < z.size(); ++k) {
        eps[k] = followed(eps[k], z[k], target_of(label, k, z.size()));
    }
}

}  // namespace bitbayes::learn
