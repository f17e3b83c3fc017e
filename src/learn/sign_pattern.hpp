// A weight of +1 or -1 for every weight of a network.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "learn/posterior.hpp"

namespace bitbayes::learn {

/// One bit per weight, row by row as in LayerPosterior::learned: bit k % 8 of byte k / 8 is set for +1.
struct SignPattern {
    std::vector<std::vector<std::uint8_t>> layers;

    SignPattern() = default;
    /// sign(0) = +1.
    explicit SignPattern(const Posterior& posterior) {
        for (const LayerPosterior& layer : posterior.layers) {
            auto& bytes = layers.emplace_back((layer.learned.size() + 7) / 8);
            for (std::size_t k = 0; k < layer.learned.size(); ++k) {
                if (layer.learned[k] >= 0) bytes[k / 8] |= static_cast<std::uint8_t>(1 << k % 8);
            }
        }
    }
    /// Adds the weights of a layer that come after those it has: `bytes` hold `count`, this pattern has
    /// `before` of them.
    void append(std::size_t l, std::span<const std::uint8_t> bytes, std::size_t count,
                std::size_t before) {
        layers[l].resize((before + count + 7) / 8);
        for (std::size_t k = 0; k < count; ++k) {
            const unsigned bit = bytes[k / 8] >> k % 8 & 1u;
            layers[l][(before + k) / 8] |= static_cast<std::uint8_t>(bit << (before + k) % 8);
        }
    }
    bool positive(std::size_t l, std::size_t place) const {
        return (layers[l][place / 8] >> place % 8 & 1) != 0;
    }
    bool operator==(const SignPattern&) const = default;
};

}  // namespace bitbayes::learn
