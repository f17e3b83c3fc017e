// A network that a device without floating point learns with: the posterior in bytes, and the
// constants of its arithmetic. Everything is a whole number; what each stands for:
//
//   h            q / 64, |q| <= 127               w = tanh h, sech^2 h     2^-15, 2^-16
//   u, inputs    any unit, |u| < 2^U              the rule does not depend on their common scale
//   z, ratios    2^-11                            nu, messages, tanh       2^-15
//
// docs/device-learning.md has the arithmetic in full. Twins: device/learner.cpp, runtime/c/learn*.c
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "device/tables.hpp"
#include "packed/network.hpp"

namespace bitbayes::device {

inline constexpr std::size_t kMaxInputs = std::size_t{1} << 16;  // of a neuron of layer 1
inline constexpr std::size_t kMaxHidden = 4095;                  // per output
inline constexpr int kMaxInputBits = 12;                         // U
inline constexpr std::uint32_t kSeed = 1;

/// u_k = (left x_k - mean_k + half) >> right, kept within +-limit. Inputs that are comparisons have
/// x_k = +1 or -1. Then the constant, if there is one.
struct InputScale {
    int bits = kMaxInputBits;  // U, even
    std::int32_t left = 1;
    int right = 0;
    std::vector<std::int32_t> mean;  // per input; empty: 0
    std::optional<std::int32_t> constant;

    std::int32_t limit() const { return (std::int32_t{1} << bits) - 1; }
    std::int32_t half() const { return right == 0 ? 0 : std::int32_t{1} << (right - 1); }
};

struct Network {
    packed::Network clipped;  // columns, comparators and classes
    InputScale inputs;
    std::size_t hidden = 0;  // neurons per output; 0: a single layer
    /// What a row adds to h at most, evidence / 2, in units of 2^-step_bits bytes.
    std::int32_t step = 0;
    int step_bits = 0;
    Tables tables;
    /// Row by row; weights of layer 1 are those of the inputs of `clipped`, then of the constant.
    std::vector<std::int8_t> h1, h2;

    std::size_t outputs() const { return clipped.outputs(); }
    std::size_t fan_in() const { return clipped.inputs() + (inputs.constant ? 1 : 0); }
    std::size_t neurons() const { return outputs() * (hidden == 0 ? 1 : hidden); }
};

}  // namespace bitbayes::device
