// Functions of one number as tables of whole numbers, from the formulas of src/math. Exported C has
// the same tables.
#pragma once

#include <cstdint>
#include <vector>

namespace bitbayes::device {

inline constexpr int kScale = 64;  // h = q / kScale
inline constexpr int kLargest = 127;

struct Tables {
    std::vector<std::int32_t> mean;      // tanh(q / 64) 2^15 at q + 128
    std::vector<std::int32_t> variance;  // sech^2(q / 64) 2^16 at q + 128
    std::vector<std::int32_t> density;   // 2 phi(z) 2^16, |z| in steps of 1/64, below 4
    std::vector<std::int32_t> mills;     // phi(z) / Phi(-z) 2^12, z in steps of 1/32 from -8 to 8
    std::vector<std::int32_t> slope;     // tanh(a) / a 2^15, |a| in steps of 1/32, below 8
    std::vector<std::int32_t> sign;      // (2 Phi(z) - 1) 2^15 at z = k/32, k = 0..128
    std::vector<std::int32_t> root;      // 2^15 / sqrt(m) at m = (k + 64.5) / 256, k = 0..191

    Tables() = default;
    /// Labels are wrong with probability `eps`.
    explicit Tables(double eps);
};

}  // namespace bitbayes::device
