// Dense layers of a network in the memory of a card, and one step of a batch through one of them: plain structures that host and card
// share.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/inputs.hpp"

namespace bitbayes::cuda {

/// What a card does with a layer, in the order of a batch.
enum class DenseStep : std::uint32_t {
    kForward,     // S, T, then nu and gain
    kTop,         // the same for the outputs: z and d
    kVariance,    // sum of 1 - nu^2 of the neurons, for the layer above
    kMessage,     // d of the layer below
    kMessageFew,  // the same for fewer than kFewRows rows
    kUpdate,      // h and w
    kForget
};

/// Fewer rows than this send their messages in another order of summation, as on the CPU.
inline constexpr std::uint32_t kFewRows = 4;

/// Threads of a block in every step, and the shares of a block: a thread has so many rows or inputs (kTall) and neurons or inputs
/// (kWide) of a product, 16 of each side by side.
inline constexpr std::uint32_t kDenseThreads = 256;
/// Of kVariance: a warp, so that rows spread over all multiprocessors.
inline constexpr std::uint32_t kVarianceThreads = 32;
inline constexpr std::uint32_t kDepthOfTile = 16;
template <std::uint32_t kTall, std::uint32_t kWide>
struct Tile {
    static constexpr std::uint32_t tall = kTall, wide = kWide;
    static constexpr std::uint32_t height = 16 * tall, width = 16 * wide;
    /// Floats of one term of the left and of the right factor: padded, so that fewer threads meet in a
    /// bank.
    static constexpr std::uint32_t left_stride = height + 4, right_stride = width + 4;
};
/// Of both factors in shared memory; `planes`: slices of the right one.
template <class Tile>
constexpr std::uint32_t slice_floats(std::uint32_t planes) {
    return kDepthOfTile * (Tile::left_stride + planes * Tile::right_stride);
}
using ForwardTile = Tile<4, 4>;
using MessageTile = Tile<4, 4>;
using UpdateTile = Tile<8, 8>;

/// The weights of an input lie side by side, those of 16 neurons, a panel, in each other's neighbourhood as on the CPU.
struct DenseLayer {
    std::uint32_t inputs = 0;  // the constant included
    std::uint32_t neurons = 0;
    std::uint32_t stride = 0;  // floats from one input's weights to the next: neurons, padded to 16
    float* h = nullptr;
    float* w = nullptr;
    const float* h0 = nullptr;  // the prior; null: nothing is forgotten
};

/// A layer's neurons in every row of a batch, `stride` floats a row; the constant that the layer above reads lies behind the last neuron.
struct DenseNeurons {
    std::uint32_t stride = 0;
    float* nu = nullptr;
    float* gain = nullptr;  // d nu / d S
    float* d = nullptr;
    float* base = nullptr;  // per row: T = U + base
};

struct DenseWork {
    DenseStep step = DenseStep::kForward;
    bool backprop = false;  // w is learned itself, and there is no h
    std::uint32_t rows = 0;
    DenseLayer layer;
    DenseNeurons own;
    DenseNeurons below;  // what the layer reads: nu; of layer 1 only nu, the inputs, and stride
    std::uint32_t below_neurons = 0;
    CardDropout dropout;          // of the layer's own neurons
    float* base_above = nullptr;  // kVariance
    float floor_above = 0;
    const RowFacts* facts = nullptr;  // kTop: labels and weights
    const float* eps = nullptr;       // kTop: label noise of each output; null: 0
    float* z = nullptr;               // kTop: rows x outputs
    float rate = 1;                   // kUpdate
    float forgotten = 0;              // kForget: share of h - h0
};

struct DenseGrid {
    std::uint32_t blocks = 0;
    std::uint32_t threads = kDenseThreads;  // of a block
    std::size_t shared_bytes = 0;
};

}  // namespace bitbayes::cuda
