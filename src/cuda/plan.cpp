#include "cuda/plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bitbayes/types/error.hpp"

namespace bitbayes::cuda {
namespace {

constexpr std::uint32_t kWarp = 32;

std::uint32_t divided_up(std::uint32_t a, std::uint32_t b) { return (a + b - 1) / b; }

std::size_t padded_floats(std::size_t n) { return (n + 15) / 16 * 16; }

/// Floats of the layers above the first, as UpperLayers takes them: weights of the second belong to the neurons below.
std::size_t upper_floats(const Trees& trees) {
    std::size_t floats = 0;
    for (std::uint32_t l = 1; l < trees.depth; ++l) {
        const std::size_t neurons = trees.layer[l].neurons;
        floats += 2 * neurons * told_stride(trees.layer[l].fan_in) + 4 * padded_floats(neurons) +
                  (l == 1 ? 0 : 2 * padded_floats(trees.layer[l].floats()));
    }
    return floats;
}

/// All that TreeBlock takes from its room.
std::size_t lesson_floats(const Trees& trees, const TreePlan& plan) {
    const std::size_t stride = trees.layer[0].stride;
    const bool far = plan.place == Place::kFar || plan.place == Place::kSparse;
    const std::size_t near_w = far ? 0 : plan.neurons * stride,
                      near_h = plan.place == Place::kSplit
                                   ? plan.neurons *
                                         NearPart{trees.layer[0].stride, plan.far_pieces}.floats()
                                   : near_w;
    return upper_floats(trees) + padded_floats(trees.sparse ? 0 : 2 * stride) + padded_floats(8) +
           8 * padded_floats(plan.neurons) + padded_floats(8 * plan.neurons) + near_w +
           (trees.backprop ? 0 : near_h + way_floats(plan.place, plan.threads));
}

/// The block's room moves into the card's memory if it does not fit; what is on its way from there still comes by way of shared memory.
template <class Plan>
void move_room_if_too_large(Plan& plan, std::size_t way, const CardLimits& limits) {
    if (plan.shared_bytes <= limits.shared_bytes_per_block) return;
    plan.room_floats = plan.shared_bytes / sizeof(float) - way;
    plan.shared_bytes = way * sizeof(float);
}

/// Groups of 16 threads in whole warps, one group per neuron where there are enough threads.
std::uint32_t threads_for(std::uint32_t neurons, std::uint32_t most) {
    return std::min(divided_up(neurons * kGroup, kWarp) * kWarp, most / kWarp * kWarp);
}

/// A tree's neurons over its share of the multiprocessors, a block on each. Blocks of a tree must run at the same time.
TreePlan divide(const Trees& trees, const CardLimits& limits, std::uint32_t threads, Place place) {
    const std::uint32_t neurons = trees.layer[0].neurons,
                        parts = std::max(1u, limits.multiprocessors / trees.count);
    TreePlan plan;
    plan.neurons = divided_up(neurons, std::min(parts, neurons));
    plan.parts = divided_up(neurons, plan.neurons);
    plan.threads = threads_for(plan.neurons, threads);
    plan.place = place;
    plan.shared_bytes = lesson_floats(trees, plan) * sizeof(float);
    return plan;
}

struct Tiling {
    DenseGrid grid;
    std::uint64_t cost = 0;
};

/// A product of so many rows and columns. Its cost: products per thread, and what it reads for each term, times blocks per multiprocessor;
/// more where these have too few warps to hide each other's waiting.
template <DenseStep kStep, TileSize kSize>
Tiling tiling(const DenseWork& work, std::uint32_t height, std::uint32_t width,
              const CardLimits& limits) {
    using Tile = typename TileOf<kStep, kSize>::Type;
    constexpr std::uint32_t kReading = 4, kEnoughWarps = 8;
    Tiling result;
    result.grid.blocks = divided_up(height, Tile::height) * divided_up(width, Tile::width);
    result.grid.threads = dense_threads<kStep, kSize>(work.backprop);
    result.grid.size = kSize;
    result.grid.shared_bytes = planes(kStep, work.backprop) * Tile::shared * sizeof(float);
    const std::uint32_t each = divided_up(result.grid.blocks, limits.multiprocessors),
                        warps = each * result.grid.threads / kWarp;
    result.cost = std::uint64_t{each} * (Tile::tall * Tile::wide + kReading) *
                  std::max(kEnoughWarps, warps) / warps;
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
    const TreePlan chip = divide(trees, limits, threads, Place::kChip);
    if (!trees.sparse && chip.shared_bytes <= limits.shared_bytes_per_block) return chip;
    TreePlan far = divide(trees, limits, threads, trees.sparse ? Place::kSparse : Place::kFar);
    move_room_if_too_large(far, trees.backprop ? 0 : way_floats(far.place, far.threads), limits);
    return far;
}

TreePlan plan_together(const Trees& trees, const CardLimits& limits) {
    const TreePlan alone = plan_lesson(trees, limits);
    const std::size_t half = limits.half_shared_bytes;
    const bool takes_half =
        alone.shared_bytes <= half && alone.threads <= limits.threads_per_block / 2;
    if (trees.backprop || alone.place != Place::kChip || takes_half) return alone;
    TreePlan plan = divide(trees, limits, limits.threads_of_two_blocks, Place::kSplit);
    while (plan.shared_bytes > half) {
        if (plan.far_pieces == NearPart{trees.layer[0].stride}.most_far_pieces()) return alone;
        ++plan.far_pieces;
        plan.shared_bytes = lesson_floats(trees, plan) * sizeof(float);
    }
    return plan;
}

void plan_question(TreeQuestion& question, const CardLimits& limits) {
    constexpr std::uint32_t kBlocksPerMultiprocessor = 4;
    const std::uint32_t rows = question.rows.count;
    const std::uint32_t chunks =
        std::max(1u, limits.multiprocessors * kBlocksPerMultiprocessor / question.trees.count);
    question.rows_per_block = divided_up(divided_up(rows, chunks), kAnswerRows) * kAnswerRows;
    question.threads =
        threads_for(question.trees.layer[0].neurons, std::min(limits.threads_per_block, 256u));
    const TreeLayer& layer = question.trees.layer[0];
    question.shared_bytes =
        (upper_floats(question.trees) + padded_floats(kAnswerRows * layer.neurons) +
         (question.trees.sparse ? 0 : kAnswerRows * layer.stride)) *
        sizeof(float);
    move_room_if_too_large(question, 0, limits);
}

DenseGrid plan_work(const DenseWork& work, const CardLimits& limits) {
    const DenseLayer& layer = work.layer;
    const std::size_t panels = layer.stride / kGroup;
    const auto each_thread = [](std::size_t count) {
        return DenseGrid{static_cast<std::uint32_t>((count + kDenseThreads - 1) / kDenseThreads)};
    };
    const auto groups = [&](std::size_t count) { return each_thread(count * kGroup); };
    const std::size_t rows = work.rows;
    switch (work.step) {
        case DenseStep::kForward:
            return cheapest<DenseStep::kForward>(work, work.rows, layer.neurons, limits);
        case DenseStep::kTop:
            return cheapest<DenseStep::kTop>(work, work.rows, layer.neurons, limits);
        case DenseStep::kVariance:
            return {divided_up(work.rows * kGroup, kVarianceThreads), kVarianceThreads};
        case DenseStep::kMessage:
            return cheapest<DenseStep::kMessage>(work, work.rows, work.below_neurons, limits);
        case DenseStep::kMessageFew:
            return groups(rows * work.below_neurons);
        case DenseStep::kUpdate:
            return cheapest<DenseStep::kUpdate>(work, layer.inputs, layer.neurons, limits);
        case DenseStep::kSparseForward:
            return each_thread(rows * layer.neurons);
        case DenseStep::kSparseUpdate:
            return groups(work.columns.count * panels);
        case DenseStep::kTreeForward:
        case DenseStep::kTreeTop:
            return groups(rows * layer.neurons);
        case DenseStep::kTreeMessage:
            return each_thread(rows * work.below_neurons);
        case DenseStep::kTreeUpdate:
            return groups(layer.neurons * panels);
        case DenseStep::kForget:
            break;
    }
    return each_thread(layer.floats());
}

std::string describe(const Trees& trees, const TreePlan& plan) {
    const auto weights = [&]() -> std::string {
        if (plan.place == Place::kChip) return "posterior on chip";
        if (plan.place != Place::kSplit) return "posterior in the card's memory";
        const NearPart near{trees.layer[0].stride, plan.far_pieces};
        return fmt::format("w and {:.0f} % of h on chip, the rest in the card's memory",
                           100.0 * near.floats() / near.stride);
    };
    return fmt::format("{} blocks of {} threads per tree, {}{}", plan.parts, plan.threads,
                       weights(), plan.room_floats > 0 ? ", rows and the layers above too" : "");
}

std::string describe(const DenseWork& work, const CardLimits& limits) {
    const DenseGrid grid = plan_work(work, limits);
    std::string text = fmt::format("{} blocks of {} threads", grid.blocks, grid.threads);
    if (!is_product(work.step)) return text;
    // Those of kForward and kTop are the same.
    const auto tile = [&]<TileSize kSize>() {
        using Tile = typename TileOf<DenseStep::kForward, kSize>::Type;
        return fmt::format(", {} rows x {} neurons each", Tile::height, Tile::width);
    };
    switch (grid.size) {
        case TileSize::kLarge:
            return text + tile.operator()<TileSize::kLarge>();
        case TileSize::kMedium:
            return text + tile.operator()<TileSize::kMedium>();
        case TileSize::kSmall:
            break;
    }
    return text + tile.operator()<TileSize::kSmall>();
}

}  // namespace bitbayes::cuda
