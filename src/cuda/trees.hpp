// Trees of a network in the memory of a card, and what the card is asked to do with them: plain structures that host and card
// share.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bitbayes::cuda {

inline constexpr std::uint32_t kMaxDepth = 4;
/// Threads that share a neuron: as many as the lanes of the CPU's loops, so that sums run in the same order.
inline constexpr std::uint32_t kGroup = 16;

/// Of one tree. Rows are `stride` floats apart, padded with zeros to 16. Rows of layer 1 have their elements in the order of
/// placed(), unless inputs are sparse.
struct TreeLayer {
    std::uint32_t neurons = 0, fan_in = 0, stride = 0;

    constexpr std::size_t floats() const { return static_cast<std::size_t>(neurons) * stride; }
};

/// Where element j of a row of `stride` floats lies: a thread's next four elements, 16 apart, side by side, so that it loads them at once.
/// The last ones, if they are fewer than 64, stay where they are.
constexpr std::uint32_t placed(std::uint32_t j, std::uint32_t stride) {
    const std::uint32_t block = j / 64 * 64, k = j % 64;
    return block + 64 > stride ? j : block + k % kGroup * 4 + k / kGroup;
}

/// What the children of a neuron above layer 1 tell it lies side by side; a thread adds some of it at once.
inline constexpr std::uint32_t kToldAtOnce = 5;
constexpr std::uint32_t told_stride(std::uint32_t fan_in) {
    constexpr std::uint32_t kPart = kToldAtOnce * kGroup;
    return (fan_in + kPart - 1) / kPart * kPart;
}

/// Tree by tree.
struct Trees {
    std::uint32_t depth = 0;
    std::uint32_t count = 0;
    TreeLayer layer[kMaxDepth];
    bool backprop = false;  // w is learned itself, and there is no h
    bool sparse = false;    // rows name their inputs that are not 0
    float* h[kMaxDepth] = {};
    float* w[kMaxDepth] = {};
    const float* h0[kMaxDepth] = {};  // the prior; null: nothing is forgotten
};

/// Where h and w of layer 1 are during a block of rows: in the card's memory, in shared memory, or w there and a part of each row of h
/// (NearPart). kSparse: in the card's memory, where sparse rows pick what they name.
enum class Place : std::uint32_t { kFar, kChip, kSplit, kSparse };

/// kSplit: pieces of 64 floats of a row of h, the last one perhaps shorter. Of the first ones every other is far, in the card's memory,
/// beginning with the first; all others lie side by side in shared memory. So each thread has the same share of h in both places, and while
/// it learns from a near piece the next far one comes.
struct NearPart {
    std::uint32_t stride = 0;  // of a row of h
    std::uint32_t far_pieces = 0;

    constexpr std::uint32_t floats() const { return stride - far_pieces * 64; }
    constexpr bool has(std::uint32_t at) const {
        return at / 64 >= 2 * far_pieces || at / 64 % 2 == 1;
    }
    /// Where the float at `at` lies among the near ones, if it is one.
    constexpr std::uint32_t place(std::uint32_t at) const {
        return at - (at / 64 < 2 * far_pieces ? at / 64 / 2 + 1 : far_pieces) * 64;
    }
    /// The other way round.
    constexpr std::uint32_t column(std::uint32_t place) const {
        return place + (place / 64 < far_pieces ? place / 64 + 1 : far_pieces) * 64;
    }
    /// As many as there can be: every other one.
    constexpr std::uint32_t most_far_pieces() const { return (stride / 64 + 1) / 2; }
};

/// kFar: fours of h and of w that are on their way to each thread from the card's memory, and the floats that they take in shared memory.
inline constexpr std::uint32_t kWayFours = 4;
constexpr std::uint32_t way_floats(Place place, std::uint32_t threads) {
    return place == Place::kFar ? threads * 4 * 2 * kWayFours : 0;
}

/// A tree is learned by `parts` blocks of `threads` threads, each with `neurons` neurons of layer 1 or fewer. kSplit: two networks are the two
/// sides of each block, which has twice the threads and the shared memory.
struct TreePlan {
    std::uint32_t parts = 1;
    std::uint32_t threads = kGroup;
    std::uint32_t neurons = 1;
    Place place = Place::kFar;
    std::uint32_t far_pieces = 0;  // kSplit: of NearPart
    std::size_t shared_bytes = 0;  // of a block, or of a side of it
    /// Of a block, in the card's memory: its rows and the layers above the first, where shared memory is too small for them. Then both are
    /// there in kFar and kSparse. 0: they are in shared memory.
    std::size_t room_floats = 0;

    constexpr std::uint32_t sides() const { return place == Place::kSplit ? 2 : 1; }
};

/// What is known of a row besides its inputs.
struct alignas(16) RowFacts {
    float square_sum = 0, largest = 0;  // as in kernels::InputRow
    std::uint32_t label = 0;
    float weight = 1;  // how many times it counts
};

/// Where entries of sparse rows belong.
struct SparseRows {
    const std::uint32_t* index = nullptr;  // of each entry: its input
    const std::uint64_t* start =
        nullptr;  // of each row: its first entry, and where the last row ends; null: rows are dense
};

/// Rows of inputs, as long as those of layer 1 and, for trees, in their order; or their entries.
struct TreeRows {
    const float* x = nullptr;
    const RowFacts* facts = nullptr;
    std::uint32_t count = 0;
    SparseRows sparse;
};

/// What a block of threads spends its time on, in the order of tree_block-inl.hpp: h and w on their way into shared memory and back, once per
/// lesson; then the parts of a row; w computed from h, once per kRefreshEvery rows.
enum class RowPart : std::uint32_t { kCopy, kTell, kGather, kAdd, kSend, kLearn, kRefresh };
inline constexpr std::uint32_t kRowParts = 7;

/// Clocks of a block of threads, summed over one thread in 32. What is learned is added.
struct TreeClocks {
    std::uint64_t part[kRowParts] = {};
    std::uint64_t waiting = 0;  // of all parts together, for other threads
};

struct TreeLesson {
    Trees trees;
    TreePlan plan;
    TreeRows rows;
    float* z = nullptr;  // rows x outputs
    std::uint32_t outputs = 0;
    std::uint32_t first_tree = 0;      // output of the first tree here
    float rate = 1;                    // of a row of weight 1
    float forgotten = 0;               // share of h - h0, at each refresh of w
    std::uint64_t samples_before = 0;  // samples the model has seen before the first row
    float* eps = nullptr;              // label noise of each tree; null: 0
    bool automatic = false;            // it follows the tree's own errors
    /// How the blocks of a tree tell each other what neurons of layer 1 say: two turns x trees x neurons x 1 word (BackProp: 2), each
    /// with the number of its row, which starts at `turn` and never comes again.
    std::uint64_t* words = nullptr;
    std::uint32_t turn = 0;
    float* room = nullptr;            // plan.room_floats of each block of threads
    std::uint32_t* broken = nullptr;  // set to 1 where h is not finite any more
    TreeClocks* clocks = nullptr;     // of each block of threads; null: nobody asks
};

/// Lessons of different networks with the same depth, rule, number of trees and plan.
struct TreeLessons {
    static constexpr std::uint32_t kMost = 8;
    std::uint32_t count = 0;
    TreeLesson lesson[kMost];

    constexpr std::uint32_t blocks_each() const {
        return lesson[0].plan.parts * lesson[0].trees.count;
    }
    constexpr std::uint32_t sides() const { return lesson[0].plan.sides(); }
    constexpr std::uint32_t blocks() const {
        return blocks_each() * ((count + sides() - 1) / sides());
    }
    constexpr std::size_t shared_bytes() const { return lesson[0].plan.shared_bytes * sides(); }

    /// Of a side of a block of threads: its lesson, which is not there if it is not below count, and its number among the blocks of that.
    constexpr std::uint32_t lesson_of(std::uint32_t block, std::uint32_t side) const {
        return block / blocks_each() * sides() + side;
    }
    constexpr std::uint32_t number_of(std::uint32_t block) const { return block % blocks_each(); }
};

/// Rows that a block of threads answers at a time.
inline constexpr std::uint32_t kAnswerRows = 4;

struct TreeQuestion {
    Trees trees;
    TreeRows rows;
    float* z = nullptr;  // rows x outputs
    std::uint32_t outputs = 0;
    std::uint32_t first_tree = 0;
    std::uint32_t rows_per_block = 1;
    std::uint32_t threads = kGroup;
    std::size_t shared_bytes = 0;
    std::size_t room_floats = 0;  // as in TreePlan
    float* room = nullptr;

    constexpr std::uint32_t blocks() const {
        return (rows.count + rows_per_block - 1) / rows_per_block * trees.count;
    }
};

}  // namespace bitbayes::cuda
