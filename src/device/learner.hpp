// The Bayes update and the mean answer in whole numbers, as exported C computes them: the same bytes
// after every row.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "device/network.hpp"

namespace bitbayes::device {

class Learner {
  public:
    explicit Learner(const Network& network, std::uint32_t seed = kSeed);

    /// `row`: quantised columns. One update, as bbnet_learn() does it.
    void learn(std::span<const std::int16_t> row, std::uint32_t label);
    /// z of each output, in units of 1/2048.
    std::vector<std::int64_t> scores(std::span<const std::int16_t> row);

    std::span<const std::int8_t> h1() const { return h1_; }
    std::span<const std::int8_t> h2() const { return h2_; }
    /// FNV-1a of h1, then h2: a number to compare with.
    std::uint32_t fingerprint() const;

  private:
    /// 1 / sqrt(v) = root 2^(exponent - 31).
    struct InverseRoot {
        std::int32_t root = 0;
        int exponent = 0;
    };
    struct Neuron {
        InverseRoot scale;
        std::int32_t z = 0;
        std::int32_t nu = 0;  // then the message to the neuron
    };

    void read(std::span<const std::int16_t> row);
    InverseRoot inverse_root(std::uint32_t v) const;
    std::int32_t tanh_of(std::int32_t a) const;
    std::int32_t sign_mean(std::int32_t z) const;
    std::int32_t density(std::int32_t z) const;
    std::int32_t mills(std::int32_t z) const;
    void add(std::int8_t& h, std::int32_t change);

    Neuron forward_1(std::size_t i) const;
    void learn_1(std::size_t i, const Neuron& neuron, std::int32_t message);
    Neuron forward_2(std::size_t k);
    void learn_2(std::size_t k, const Neuron& output, bool positive);
    std::int32_t product_2(std::size_t k, std::size_t j) const;

    const Network& network_;
    std::vector<std::int8_t> h1_, h2_;
    std::vector<std::int32_t> u_;
    std::vector<Neuron> neurons_;  // hidden ones of one output
    std::uint32_t random_;
};

}  // namespace bitbayes::device
