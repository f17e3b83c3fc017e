// A weight of +1 or -1 for every weight of a network.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bitbayes::learn {

/// One bit per weight, row by row as in LayerPosterior::learned: bit k % 8 of byte k / 8 is set for +1.
struct SignPattern {
    std::vector<std::vector<std::uint8_t>> layers;

    bool positive(std::size_t l, std::size_t place) const {
        return (layers[l][place / 8] >> place % 8 & 1) != 0;
    }
    bool operator==(const SignPattern&) const = default;
};

}  // namespace bitbayes::learn
