// Fast evaluation of an IntegerNetwork: the same scores as its plain loops, which are the definition.
//
// Layer 1 holds its weights by input, one bit per neuron. With P_i the sum of the inputs whose
// weight is +1,
//   sum_j W_ij x_j = 2 P_i - sum_j x_j
// so an input of 0 costs nothing, and any other one masked addition for each vector of neurons.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/aligned.hpp"
#include "packed/integer_network.hpp"

namespace bitbayes::packed {

/// An input that is not 0.
struct Entry {
    std::uint32_t input = 0;
    std::int16_t value = 0;
};

class Inference {
  public:
    explicit Inference(const IntegerNetwork& network);  // keeps a reference to it

    /// As IntegerNetwork::scores, from all inputs.
    std::vector<std::int64_t> scores(std::span<const std::int16_t> x) const;
    /// From those that are not 0, each at most once.
    std::vector<std::int64_t> scores(std::span<const Entry> entries) const;

  private:
    const IntegerNetwork& network_;
    std::size_t stride_ = 0;            // bytes from one input's bits to the next
    AlignedVector<std::uint8_t> bits_;  // bit i of input j: W_ij = +1
};

/// Bits of neurons that are added up together: rows are padded to a multiple of it.
inline constexpr std::size_t kNeuronBlock = 512;

/// P_i += value of every entry whose bit i is set, for neurons 0 .. neurons - 1, a multiple of
/// kNeuronBlock. The absolute values may add up to at most 32,767, unless there is one entry only.
void accumulate(std::span<const Entry> entries, const std::uint8_t* bits, std::size_t stride,
                std::span<std::int32_t> P);

}  // namespace bitbayes::packed
