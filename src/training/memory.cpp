#include "training/memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "base/aligned.hpp"
#include "base/memory.hpp"
#include "base/thread_team.hpp"
#include "bitbayes/types/error.hpp"
#include "cuda/card.hpp"
#include "learn/dense_learner.hpp"
#include "learn/learner.hpp"
#include "training/evaluate.hpp"

namespace bitbayes::training {
namespace {

constexpr std::uint64_t kFloat = sizeof(float);

std::uint64_t bytes_of(const SparseView& x, const Rows&) {
    return x.row_start.size_bytes() + x.column.size_bytes() + x.value.size_bytes();
}

template <class T>
std::uint64_t bytes_of(const DenseView<T>&, const Rows& rows) {
    return std::uint64_t{rows.size()} * rows.features() * sizeof(T);
}

/// The table, its labels, the classes of the model and the order of an epoch.
std::uint64_t bytes_of_rows(const Rows& rows) {
    constexpr std::uint64_t kPerRow = 2 * sizeof(std::uint32_t) + 2 * sizeof(std::size_t);
    return std::visit([&](const auto& x) { return bytes_of(x, rows); }, rows.values()) +
           rows.size() * kPerRow;
}

std::uint64_t numbers_per_weight(const TrainOptions& options) {
    return options.algorithm == Algorithm::kMfb ? 2 : 1;
}

/// The learner's h and w, rows padded (in dense networks panels of neurons), and the prior if it forgets.
std::uint64_t bytes_of_learner(const learn::Architecture& architecture,
                               const TrainOptions& options) {
    const std::uint64_t held = numbers_per_weight(options) + (options.memory ? 1 : 0);
    const bool trees = architecture.is_tree();
    std::uint64_t padded_weights = 0;
    for (const learn::LayerShape& layer : architecture.layers) {
        const bool panels = !trees && layer.connectivity == learn::Connectivity::kDense;
        padded_weights += panels ? std::uint64_t{padded(layer.neurons)} * layer.fan_in
                                 : std::uint64_t{layer.neurons} * padded(layer.fan_in);
    }
    return kFloat * held * padded_weights;
}

/// What the learner holds, and a copy for a file, with the w of layer 1 if it is carried.
std::uint64_t bytes_of_weights(const learn::Architecture& architecture,
                               const TrainOptions& options) {
    return bytes_of_learner(architecture, options) +
           kFloat * numbers_per_weight(options) * architecture.weights();
}

/// Polishing works on a copy.
std::uint64_t copies(const TrainOptions& options) { return options.polish > 0 ? 2 : 1; }

bool on_card(const TrainOptions& options) { return cuda::card_number(options.backend).has_value(); }

/// Rows that a card takes at once: whole batches.
std::uint64_t card_rows(std::uint64_t rows, const TrainOptions& options) {
    return std::min<std::uint64_t>(
        rows, std::max(cuda::CardLimits().block_rows, options.batch.value_or(1)));
}

/// Of the table's own numbers, as many rows as a card takes at once.
std::uint64_t bytes_of_cells(const Rows& training, const TrainOptions& options) {
    const std::uint64_t all =
        std::visit([&](const auto& x) { return bytes_of(x, training); }, training.values());
    return all / training.size() * card_rows(training.size(), options);
}

/// What the blocks of threads of a wide tree network keep in the card's memory where shared memory has no room for it.
std::uint64_t bytes_of_card_rooms(const learn::Architecture& architecture) {
    constexpr std::uint64_t kFits = 16 << 10, kPerNeuron = 8, kPerInput = 4, kBlocks = 1024;
    if (!architecture.is_tree()) return 0;
    const std::uint64_t numbers =
        kPerNeuron * architecture.neurons_per_tree(0) + kPerInput * architecture.inputs;
    return numbers <= kFits ? 0 : kBlocks * kFloat * numbers;
}

/// The moments of layer 1, and what each tree keeps.
std::uint64_t bytes_of_trees(const learn::Architecture& architecture) {
    constexpr std::uint64_t kPerNeuron = 64, kPerTree = 2048;
    return architecture.layers.front().neurons * kPerNeuron + architecture.outputs() * kPerTree;
}

/// Moments and messages of `rows` in a dense network, and its inputs and their squares.
std::uint64_t bytes_of_batch(const learn::Architecture& architecture, std::uint64_t rows) {
    constexpr std::uint64_t kPerNeuron = 9;
    std::uint64_t numbers = 2 * architecture.inputs;
    for (const learn::LayerShape& layer : architecture.layers)
        numbers += kPerNeuron * layer.neurons;
    return kFloat * rows * numbers;
}

/// What neurons keep, blocks of inputs, and scores.
std::uint64_t bytes_of_scratch(const learn::Architecture& architecture, std::size_t rows,
                               const TrainOptions& options) {
    constexpr std::uint64_t kMaxScores = 8 << 20;
    const std::uint64_t scores =
        std::min<std::uint64_t>(kMaxScores, rows * architecture.outputs() * sizeof(std::int64_t));
    const unsigned threads = options.threads == 0 ? ThreadTeam::usable_cores() : options.threads;
    const std::uint64_t batch = std::min<std::uint64_t>(options.batch.value_or(1), rows);
    const std::uint64_t block_rows =
        on_card(options) ? card_rows(rows, options) : learn::kBlockRows;
    const std::uint64_t block =
        std::max(block_rows, batch) * (architecture.inputs + architecture.outputs());
    const std::uint64_t neurons =
        architecture.is_tree()
            ? bytes_of_trees(architecture)
            : bytes_of_batch(architecture, batch + threads * learn::answer_rows(architecture));
    return neurons + 2 * kFloat * block + threads * scores;
}

void require(std::uint64_t needed, const Rows& training, const TrainOptions& options) {
    const std::uint64_t budget = memory_budget(options.max_memory);
    if (needed <= budget) return;
    throw Error(ErrorCode::kData,
                fmt::format("{}: training would take about {} of memory, the limit is {}",
                            training.name(), bytes_text(needed), bytes_text(budget)),
                "a smaller `tree` or `dense`, fewer columns or classes, or a higher `max_memory`");
}

}  // namespace

std::uint64_t memory_of_run(const Rows& training, const learn::Architecture& architecture,
                            const TrainOptions& options) {
    const std::uint64_t weights = architecture.weights();
    const std::uint64_t clipped =
        architecture.is_tree()
            ? std::min<std::uint64_t>(weights,
                                      std::max(architecture.weights_per_tree(), kClippedTogether))
            : weights;
    // Cells of rows go to a card while the next ones are copied together.
    const std::uint64_t cells = on_card(options) ? 2 * bytes_of_cells(training, options) : 0;
    return bytes_of_rows(training) + copies(options) * bytes_of_weights(architecture, options) +
           clipped * (kFloat + 1) + bytes_of_scratch(architecture, training.size(), options) +
           cells;
}

std::uint64_t card_memory_of_run(const Rows& training, const learn::Architecture& architecture,
                                 const TrainOptions& options) {
    constexpr std::uint64_t kOther =
        128 << 20;  // words, facts of rows, a clipped network and its scores
    if (!on_card(options)) return 0;
    const std::uint64_t rows = card_rows(training.size(), options);
    const std::uint64_t block = bytes_of_cells(training, options) +
                                kFloat * rows * (architecture.inputs + architecture.outputs());
    const std::uint64_t batch = architecture.is_tree() ? 0 : bytes_of_batch(architecture, rows);
    return copies(options) * (bytes_of_learner(architecture, options) + block + batch +
                              bytes_of_card_rooms(architecture)) +
           kOther;
}

std::size_t runs_together(const Rows& training, const learn::Architecture& architecture,
                          const TrainOptions& options, std::uint64_t free_on_card,
                          std::size_t most) {
    const std::uint64_t table = bytes_of_rows(training), budget = memory_budget(options.max_memory),
                        own = memory_of_run(training, architecture, options) - table,
                        own_on_card = card_memory_of_run(training, architecture, options);
    std::uint64_t room = (budget - std::min(budget, table)) / own;
    if (own_on_card > 0) room = std::min(room, free_on_card / own_on_card);
    return static_cast<std::size_t>(std::clamp<std::uint64_t>(room, 1, most));
}

void check_memory(const Rows& training, const learn::Architecture& architecture,
                  const TrainOptions& options) {
    require(memory_of_run(training, architecture, options), training, options);
}

void check_dense_columns(const Rows& training, const TrainOptions& options) {
    constexpr std::uint64_t kPerColumn = 100;
    const bool stays = options.preprocess == "auto" || options.preprocess == "none";
    if (!training.sparse() || stays || !options.dense_ok) return;
    require(training.features() * kPerColumn, training, options);
}

}  // namespace bitbayes::training
