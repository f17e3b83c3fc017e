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
    kForget,
    // Of a layer that reads sparse rows.
    kSparseForward,
    kSparseUpdate,
    // Of a layer of trees.
    kTreeForward,
    kTreeTop,
    kTreeMessage,
    kTreeUpdate
};

/// Fewer rows than this send their messages in another order of summation, as on the CPU.
inline constexpr std::uint32_t kFewRows = 4;

/// Threads of a block in steps that are no products. Of kVariance a warp, so that rows spread over all multiprocessors.
inline constexpr std::uint32_t kDenseThreads = 256, kVarianceThreads = 32;

/// What a block computes of a product: kDown x kAcross threads have kTall x kWide sums each, and multiply slices of kDepth terms. Sums are
/// finished kAtOnce rows of each thread at a time: kTall, or 4 where shared memory has no room for more.
template <std::uint32_t kTall, std::uint32_t kWide, std::uint32_t kDown, std::uint32_t kAcross,
          std::uint32_t kDepth, std::uint32_t kAtOnce = kTall>
struct Tile {
    static constexpr std::uint32_t tall = kTall, wide = kWide, down = kDown, across = kAcross,
                                   depth = kDepth, at_once = kAtOnce;
    static constexpr std::uint32_t threads = down * across;
    static constexpr std::uint32_t height = down * tall, width = across * wide;
    static constexpr std::uint32_t rows_at_once = down * at_once;
    /// Floats of one term of the left and of the right factor, padded, so that fewer threads meet in a bank; of both factors.
    static constexpr std::uint32_t left_stride = height + (tall < 4 ? 1 : 4),
                                   right_stride = width + 4;
    static constexpr std::uint32_t plane = depth * (left_stride + right_stride);
    /// Floats of shared memory, for two slices and after them for sums.
    static constexpr std::uint32_t shared =
        2 * plane > rows_at_once* right_stride ? 2 * plane : rows_at_once* right_stride;
};

/// The cheapest of these tiles computes a product; kForward, kTop and kMessage have rows x neurons, kUpdate has inputs x neurons.
enum class TileSize : std::uint32_t { kLarge, kMedium, kSmall };
template <DenseStep kStep, TileSize kSize>
struct TileOf {
    using Type = Tile<13, 4, 16, 8, 16>;  // 208 x 32
};
template <DenseStep kStep>
struct TileOf<kStep, TileSize::kMedium> {
    using Type = Tile<4, 4, 16, 8, 16>;  // 64 x 32
};
template <DenseStep kStep>
struct TileOf<kStep, TileSize::kSmall> {
    using Type = Tile<1, 1, 8, 16, 64>;  // 8 x 16: the outputs
};
template <>
struct TileOf<DenseStep::kUpdate, TileSize::kLarge> {
    using Type = Tile<8, 8, 16, 16, 8, 4>;  // 128 x 128
};
template <>
struct TileOf<DenseStep::kUpdate, TileSize::kSmall> {
    using Type = Tile<4, 1, 16, 16, 16>;  // 64 x 16
};

/// Steps that are products; kUpdate has no kMedium.
constexpr bool is_product(DenseStep step) {
    return step == DenseStep::kForward || step == DenseStep::kTop || step == DenseStep::kMessage ||
           step == DenseStep::kUpdate;
}
constexpr bool has_tile(DenseStep step, TileSize size) {
    if (step == DenseStep::kUpdate) return size != TileSize::kMedium;
    return is_product(step) || size == TileSize::kLarge;
}
/// S and U of forward steps are products of their own, side by side in a block; BackProp has no U.
constexpr std::uint32_t planes(DenseStep step, bool backprop) {
    return !backprop && (step == DenseStep::kForward || step == DenseStep::kTop) ? 2 : 1;
}
template <DenseStep kStep, TileSize kSize>
constexpr std::uint32_t dense_threads(bool backprop) {
    if (kStep == DenseStep::kVariance) return kVarianceThreads;
    return is_product(kStep) ? planes(kStep, backprop) * TileOf<kStep, kSize>::Type::threads
                             : kDenseThreads;
}

/// The weights of an input lie side by side, those of 16 neurons, a panel, in each other's neighbourhood as on the CPU. In a layer of
/// trees the weights of a neuron lie side by side.
struct DenseLayer {
    std::uint32_t inputs = 0;  // of a neuron, the constant included
    std::uint32_t neurons = 0;
    std::uint32_t stride =
        0;  // floats from one input's weights to the next: neurons, padded to 16; in trees the other way round
    bool tree = false;
    float* h = nullptr;
    float* w = nullptr;
    const float* h0 = nullptr;  // the prior; null: nothing is forgotten

    constexpr std::size_t floats() const {
        return static_cast<std::size_t>(tree ? neurons : inputs) * stride;
    }
};

/// Entries of a batch of sparse rows, column by column.
struct DenseColumns {
    std::uint32_t count = 0;
    const std::uint32_t* column = nullptr;
    const std::uint64_t* start = nullptr;  // of each column's entries, and where the last ones end
    const std::uint32_t* row = nullptr;    // of each entry
    const std::uint64_t* place = nullptr;  // of each entry among those of all rows
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
    SparseRows sparse;            // what kSparse steps read: below.nu holds the entries of all rows
    DenseColumns columns;         // kSparseUpdate
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
    TileSize size = TileSize::kLarge;
    std::size_t shared_bytes = 0;
};

}  // namespace bitbayes::cuda
