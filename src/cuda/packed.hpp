// A packed network (packed/network.hpp) in the memory of a card, and rows that go through one of its layers: plain structures that host
// and card share.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bitbayes::cuda {

/// Rows that a thread takes together: it reads each weight once for all of them.
inline constexpr std::uint32_t kPackedRows = 8;

/// An input or a neuron in these rows.
struct alignas(16) PackedRows {
    std::int16_t row[kPackedRows];
};

/// As in packed::Layer.
struct PackedLayer {
    std::uint32_t inputs = 0;  // that the layer below has
    std::uint32_t neurons = 0, fan_in = 0;
    bool reads_all = false;
    const std::uint64_t* bits = nullptr;
    const std::int64_t* threshold = nullptr;  // null: 0
};

struct PackedWork {
    PackedLayer layer;
    std::uint32_t groups = 0;            // of kPackedRows rows
    const PackedRows* inputs = nullptr;  // groups x inputs
    PackedRows* signs = nullptr;         // groups x neurons: -1 or +1; null: the layer is the last
    std::int64_t* scores = nullptr;      // of the last layer: rows x neurons
    bool adds = false;                   // to the scores that are there, of other members

    constexpr std::size_t places() const {
        return static_cast<std::size_t>(groups) * layer.neurons;
    }
};

}  // namespace bitbayes::cuda
