// The clipped network on integers: the one definition of every MAP answer (DESIGN section 1).
//
//   layer 1:        v_i = +1 iff sum_j W_ij x_j >= t_i    x as learn/clip.hpp defines it
//   layers 2..L-1:  v_i = +1 iff sum_j W_ij v_j >= 0      sign(0) = +1
//   layer L:        score_k = sum_j W_kj v_j;  for L = 1 score_k = sum_j W_kj x_j - t_k
//
// The highest score wins, the lowest index on a tie. One output: class 1 iff score >= 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace bitbayes::packed {

struct IntegerLayer {
    std::size_t neurons = 0;
    std::size_t fan_in = 0;
    bool reads_all =
        false;  // every neuron reads the whole layer below; else neuron i reads i*K .. i*K+K-1
    std::vector<std::int8_t> weight;      // +1 or -1, row-major
    std::vector<std::int64_t> threshold;  // layer 1 only, one per neuron; empty: all 0
};

struct IntegerAnswer {
    std::uint32_t class_index = 0;
    std::int64_t margin = 0;  // winner minus runner-up; one output: |score|
    bool legal = true;        // exactly one output is +1 (score >= 0); always true for one output
};

struct IntegerNetwork {
    std::vector<IntegerLayer> layers;

    /// `x` are the integer inputs of layer 1 without the constant (folded into the thresholds). The
    /// definition, in plain loops; twin: packed/inference.hpp
    std::vector<std::int64_t> scores(std::span<const std::int16_t> x) const;
    /// From the sums of layer 1, less their thresholds, to the scores.
    void finish(std::vector<std::int64_t>& sums) const;

    static IntegerAnswer answer(std::span<const std::int64_t> scores);
};

}  // namespace bitbayes::packed
