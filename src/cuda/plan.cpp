#include "cuda/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "bitbayes/types/error.hpp"

namespace bitbayes::cuda {
namespace {

constexpr std::uint32_t kWarp = 32;

std::uint32_t divided_up(std::uint32_t a, std::uint32_t b) { return (a + b - 1) / b; }

std::size_t padded_floats(std::size_t n) { return (n + 15) / 16 * 16; }

/// Floats of the layers above the first: what UpperLayers takes, or a little more.
std::size_t upper_floats(const Trees& trees) {
    std::size_t floats = 0;
    for (std::uint32_t l = 1; l < trees.depth; ++l) {
        floats += 2 * trees.layer[l].neurons * told_stride(trees.layer[l].fan_in) +
                  4 * padded_floats(trees.layer[l].neurons) +
                  2 * padded_floats(trees.layer[l].floats());
    }
    return floats;
}

/// Of a block with so many neurons of layer 1, w of `near_w` and h of `near_h` of which are in shared memory.
std::size_t lesson_bytes(const Trees& trees, std::uint32_t neurons, std::uint32_t near_w,
                         std::uint32_t near_h) {
    const std::size_t stride = trees.layer[0].stride;
    const std::size_t floats = upper_floats(trees) + padded_floats(3 * stride) + padded_floats(12) +
                               8 * padded_floats(neurons) + padded_floats(8 * neurons) +
                               (near_w + (trees.backprop ? 0 : near_h)) * stride;
    return floats * sizeof(float);
}

void require_room(std::size_t bytes, const CardLimits& limits) {
    if (bytes <= limits.shared_bytes_per_block) return;
    throw Error(
        ErrorCode::kUnavailable,
        fmt::format(
            "the layers above the first need {} bytes of shared memory, {} has {} for a block",
            bytes, limits.name, limits.shared_bytes_per_block),
        "a narrower network, or `backend` auto");
}

/// Groups of 16 threads in whole warps, one group per neuron where there are enough threads.
std::uint32_t threads_for(std::uint32_t neurons, std::uint32_t most) {
    return std::min(divided_up(neurons * kGroup, kWarp) * kWarp, most / kWarp * kWarp);
}

std::uint32_t kMostBlocks() {
    const char* e = getenv("PER_MP");
    return e ? atoi(e) : 1;
}
constexpr std::uint32_t kFewestNeurons = 6;
/// Shared memory that CUDA keeps of each block's.
constexpr std::size_t kReserved = 1 << 10;

/// For each of some blocks on a multiprocessor where one could have so much.
std::size_t room(std::size_t bytes, std::uint32_t blocks) {
    return (bytes + kReserved) / blocks - kReserved;
}

/// A tree's neurons over so many blocks on each multiprocessor, with so many threads together. Blocks that share a tree must run at the
/// same time.
TreePlan divide(const Trees& trees, const CardLimits& limits, std::uint32_t blocks,
                std::uint32_t threads) {
    const std::uint32_t neurons = trees.layer[0].neurons,
                        parts = std::max(1u, limits.multiprocessors * blocks / trees.count);
    TreePlan plan;
    plan.neurons = divided_up(neurons, std::min(parts, neurons));
    plan.parts = divided_up(neurons, plan.neurons);
    plan.threads = threads_for(plan.neurons, threads / blocks);
    return plan;
}

struct Tiling {
    DenseGrid grid;
    std::uint64_t cost = 0;
};

/// A product of so many rows and columns. Its cost: products per thread, and what it reads for each term, times blocks per multiprocessor.
template <DenseStep kStep, TileSize kSize>
Tiling tiling(const DenseWork& work, std::uint32_t height, std::uint32_t width,
              const CardLimits& limits) {
    using Tile = typename TileOf<kStep, kSize>::Type;
    constexpr std::uint32_t kReading = 4;
    Tiling result;
    result.grid.blocks = divided_up(height, Tile::height) * divided_up(width, Tile::width);
    result.grid.threads = dense_threads<kStep, kSize>(work.backprop);
    result.grid.size = kSize;
    result.grid.shared_bytes = planes(kStep, work.backprop) * Tile::shared * sizeof(float);
    result.cost = std::uint64_t{divided_up(result.grid.blocks, limits.multiprocessors)} *
                  (Tile::tall * Tile::wide + kReading);
    return result;
}

template <DenseStep kStep>
DenseGrid cheapest(const DenseWork& work, std::uint32_t height, std::uint32_t width,
                   const CardLimits& limits) {
    const auto cheaper = [](const Tiling& a, const Tiling& b) { return a.cost < b.cost; };
    Tiling best = std::min(tiling<kStep, TileSize::kLarge>(work, height, width, limits),
                           tiling<kStep, TileSize::kSmall>(work, height, width, limits), cheaper);
    if constexpr (has_tile(kStep, TileSize::kMedium)) {
        best =
            std::min(best, tiling<kStep, TileSize::kMedium>(work, height, width, limits), cheaper);
    }
    return best.grid;
}

}  // namespace

TreePlan plan_lesson(const Trees& trees, const CardLimits& limits) {
    const std::uint32_t threads =
        trees.backprop ? limits.threads_of_two_blocks : limits.threads_per_block;
    for (std::uint32_t blocks = kMostBlocks(); blocks > 0; --blocks) {
        TreePlan plan = divide(trees, limits, blocks, threads);
        plan.place = Place::kChip;
        plan.shared_bytes = lesson_bytes(trees, plan.neurons, plan.neurons, plan.neurons);
        const bool fits = plan.shared_bytes <= room(limits.shared_bytes_per_block, blocks);
        if (fits && (blocks == 1 || plan.neurons >= kFewestNeurons)) return plan;
    }
    TreePlan plan = divide(trees, limits, 1, threads);
    plan.shared_bytes = lesson_bytes(trees, plan.neurons, 0, 0);
    require_room(plan.shared_bytes, limits);
    return plan;
}

TreePlan plan_together(const Trees& trees, const CardLimits& limits) {
    const TreePlan alone = plan_lesson(trees, limits);
    if (trees.backprop || alone.place != Place::kChip) return alone;
    TreePlan plan = divide(trees, limits, 1, limits.threads_of_two_blocks);
    const std::size_t all = lesson_bytes(trees, plan.neurons, plan.neurons, plan.neurons),
                      least = lesson_bytes(trees, plan.neurons, plan.neurons, 0),
                      half = limits.half_shared_bytes;
    const bool takes_half = all <= half && plan.threads <= limits.threads_per_block / 2;
    if (takes_half || least > half) return alone;
    const std::size_t near = (half - least) / (trees.layer[0].stride * sizeof(float));
    plan.place = Place::kSplit;
    plan.near = static_cast<std::uint32_t>(std::min<std::size_t>(near, plan.neurons));
    plan.shared_bytes = lesson_bytes(trees, plan.neurons, plan.neurons, plan.near);
    return plan;
}

void plan_question(TreeQuestion& question, const CardLimits& limits) {
    constexpr std::uint32_t kBlocksPerMultiprocessor = 4;
    const std::uint32_t rows = question.rows.count;
    const std::uint32_t chunks =
        std::max(1u, limits.multiprocessors * kBlocksPerMultiprocessor / question.trees.count);
    question.rows_per_block = std::max(1u, divided_up(rows, chunks));
    question.threads =
        threads_for(question.trees.layer[0].neurons, std::min(limits.threads_per_block, 256u));
    question.shared_bytes =
        (upper_floats(question.trees) + padded_floats(2) + question.trees.layer[0].stride) *
        sizeof(float);
    require_room(question.shared_bytes, limits);
}

DenseGrid plan_work(const DenseWork& work, const CardLimits& limits) {
    const auto groups = [](std::uint32_t count, std::uint32_t threads) {
        return DenseGrid{divided_up(count, threads / kGroup), threads};
    };
    const DenseLayer& layer = work.layer;
    switch (work.step) {
        case DenseStep::kForward:
            return cheapest<DenseStep::kForward>(work, work.rows, layer.neurons, limits);
        case DenseStep::kTop:
            return cheapest<DenseStep::kTop>(work, work.rows, layer.neurons, limits);
        case DenseStep::kVariance:
            return groups(work.rows, kVarianceThreads);
        case DenseStep::kMessage:
            return cheapest<DenseStep::kMessage>(work, work.rows, work.below_neurons, limits);
        case DenseStep::kMessageFew:
            return groups(work.rows * work.below_neurons, kDenseThreads);
        case DenseStep::kUpdate:
            return cheapest<DenseStep::kUpdate>(work, layer.inputs, layer.neurons, limits);
        case DenseStep::kForget:
            break;
    }
    const std::size_t weights = static_cast<std::size_t>(layer.inputs) * layer.stride;
    return {static_cast<std::uint32_t>((weights + kDenseThreads - 1) / kDenseThreads)};
}

std::string describe(const TreePlan& plan) {
    return fmt::format("{} blocks of {} threads per tree, posterior {}", plan.parts, plan.threads,
                       plan.place == Place::kFar ? "in the card's memory" : "on chip");
}

}  // namespace bitbayes::cuda
