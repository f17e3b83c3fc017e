// The learner as trainer, API and experiments use it: blocks of any size, threads, refreshes of w,
// inputs that are always 0, and failures in the middle of a block.
#include "learn/learner.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <random>

#include "bitbayes/types/error.hpp"
#include "kernels/table.hpp"
#include "learn/tree_learner.hpp"

namespace bitbayes::learn {
namespace {

constexpr std::size_t kInputs = 101;  // with 130 neurons: enough work for three threads in one tree

constexpr std::size_t kSeen = kernels::kRefreshEvery - 20;  // so that few rows pass a refresh

struct Samples {
    data::InputBlock block;
    std::vector<std::uint32_t> labels;
};

/// Random rows of the given inputs of kInputs.
Samples samples(std::size_t rows, std::span<const std::uint32_t> live, std::size_t classes) {
    std::mt19937 engine(5);
    std::normal_distribution<float> normal;
    Samples out;
    out.block.rows = rows;
    out.block.stride = padded(live.size());
    out.block.value.assign(rows * out.block.stride, 0);
    for (std::size_t r = 0; r < rows; ++r) {
        std::vector<float> row(kInputs);
        for (float& x : row) x = normal(engine);
        for (std::size_t k = 0; k < live.size(); ++k) {
            out.block.value[r * out.block.stride + k] = row[live[k]];
        }
        out.labels.push_back(static_cast<std::uint32_t>(engine() % classes));
    }
    return out;
}

Samples part(const Samples& whole, std::size_t first, std::size_t rows) {
    Samples out;
    out.block.rows = rows;
    out.block.stride = whole.block.stride;
    const auto begin =
        whole.block.value.begin() + static_cast<std::ptrdiff_t>(first * whole.block.stride);
    out.block.value.assign(begin, begin + static_cast<std::ptrdiff_t>(rows * whole.block.stride));
    out.labels.assign(whole.labels.begin() + static_cast<std::ptrdiff_t>(first),
                      whole.labels.begin() + static_cast<std::ptrdiff_t>(first + rows));
    return out;
}

std::vector<std::uint32_t> all_inputs() {
    std::vector<std::uint32_t> all(kInputs);
    std::iota(all.begin(), all.end(), 0u);
    return all;
}

LearnerStart start(std::size_t outputs, Algorithm algorithm = Algorithm::kMfb) {
    const auto shape = Architecture::tree(kInputs, {130}, outputs);
    LearnerStart result{shape, Posterior(shape, algorithm)};
    result.posterior.draw_prior(3, 1);
    result.rate = algorithm == Algorithm::kMfb ? 1 : 0.01f;
    result.samples_seen = kSeen;
    return result;
}

void learn(Learner& learner, const Samples& what, std::size_t outputs) {
    std::vector<float> z(what.block.rows * outputs);
    learner.learn(what.block, what.labels, z);
}

void expect_equal(const Posterior& a, const Posterior& b) {
    ASSERT_EQ(a.layers.size(), b.layers.size());
    for (std::size_t l = 0; l < a.layers.size(); ++l) {
        EXPECT_EQ(a.layers[l].learned, b.layers[l].learned) << l;
        EXPECT_EQ(a.layers[l].carried, b.layers[l].carried) << l;
    }
}

TEST(Learner, BlocksAndThreadsDoNotMatter) {
    constexpr std::size_t kRows = 100;
    for (const std::size_t outputs : {1u, 3u}) {
        for (const auto algorithm : {Algorithm::kMfb, Algorithm::kBackprop}) {
            const Samples whole = samples(kRows, all_inputs(), outputs == 1 ? 2 : outputs);
            const auto one = make_learner(start(outputs, algorithm), {.threads = 1});
            learn(*one, whole, outputs);
            for (const unsigned threads : {1u, 2u, 5u}) {
                const auto other = make_learner(start(outputs, algorithm), {.threads = threads});
                for (std::size_t first = 0, rows = 1; first < kRows; first += rows, rows *= 3) {
                    learn(*other, part(whole, first, std::min(rows, kRows - first)), outputs);
                }
                EXPECT_EQ(other->samples_seen(), kSeen + kRows);
                expect_equal(one->posterior(), other->posterior());
            }
        }
    }
}

/// Between two refreshes the posterior carries w, so that a run can continue with the same bytes.
TEST(Learner, GoesOnFromWhatItHandsOver) {
    constexpr std::size_t kRows = 300;
    const Samples whole = samples(kRows, all_inputs(), 2);
    const auto never_stopped = make_learner(start(1), {});
    learn(*never_stopped, whole, 1);
    for (const std::size_t stop : {1u, 19u, 20u, 21u, 276u, 299u}) {
        const auto first = make_learner(start(1), {});
        learn(*first, part(whole, 0, stop), 1);
        LearnerStart again = start(1);
        again.posterior = first->posterior();
        again.samples_seen = first->samples_seen();
        EXPECT_EQ(again.posterior.layers[0].carried.empty(),
                  (kSeen + stop) % kernels::kRefreshEvery == 0);
        EXPECT_TRUE(again.posterior.layers[1].carried.empty());
        const auto second = make_learner(std::move(again), {});
        learn(*second, part(whole, stop, kRows - stop), 1);
        expect_equal(never_stopped->posterior(), second->posterior());
    }
}

TEST(Learner, EndOfAnEpochRefreshesTheMeans) {
    const auto learner = make_learner(start(2), {});
    learn(*learner, samples(100, all_inputs(), 2), 2);
    EXPECT_FALSE(learner->posterior().layers[0].carried.empty());
    learner->end_epoch();
    EXPECT_TRUE(learner->posterior().layers[0].carried.empty());
}

/// Inputs that are always 0 and inputs that are left out: the same answers, and weights that do not
/// move.
TEST(Learner, InertInputsKeepTheirWeightsAndTheirPlaces) {
    std::vector<std::uint32_t> live;
    for (std::uint32_t k = 0; k < kInputs; ++k) {
        if (k % 3 != 1 && k != kInputs - 2) live.push_back(k);
    }
    LearnerStart compact = start(3);
    compact.live_inputs = live;
    const Posterior prior = compact.posterior;
    const auto learner = make_learner(std::move(compact), {});
    const Samples rows = samples(300, live, 3);
    learn(*learner, rows, 3);
    const Posterior after = learner->posterior();
    std::size_t moved = 0;
    for (std::size_t i = 0; i < after.layers[0].shape.neurons; ++i) {
        for (std::uint32_t k = 0; k < kInputs; ++k) {
            const bool is_live = std::find(live.begin(), live.end(), k) != live.end();
            const bool same = after.layers[0].row(i)[k] == prior.layers[0].row(i)[k];
            if (!is_live) {
                ASSERT_TRUE(same) << i << " " << k;
            }
            moved += !same;
        }
    }
    EXPECT_GT(moved, after.layers[0].shape.neurons * live.size() / 2);
    // A learner of all inputs on rows with zeros at the same places, from the same numbers.
    Samples full = samples(300, all_inputs(), 3);
    for (std::size_t r = 0; r < 300; ++r) {
        float* row = full.block.value.data() + r * full.block.stride;
        std::fill(row, row + kInputs, 0.0f);
        for (std::size_t k = 0; k < live.size(); ++k) {
            row[live[k]] = rows.block.value[r * rows.block.stride + k];
        }
    }
    LearnerStart again = start(3);
    again.posterior = after;
    const auto whole = make_learner(std::move(again), {});
    std::vector<float> a(900), b(900);
    learner->answer(rows.block, a);
    whole->answer(full.block, b);
    for (std::size_t k = 0; k < a.size(); ++k) ASSERT_NEAR(a[k], b[k], 1e-4f);
    // Some of the trees, as evaluation requests them.
    const Posterior some = learner->posterior({1, 2});
    const std::size_t per_tree = after.layers[0].learned.size() / 3;
    EXPECT_TRUE(
        std::equal(some.layers[0].learned.begin(), some.layers[0].learned.end(),
                   after.layers[0].learned.begin() + static_cast<std::ptrdiff_t>(per_tree)));
}

std::atomic<int> calls_left;
kernels::TreeRule good;

void failing_learn_input(const kernels::LayerSlice& layer, const kernels::InputRow& row,
                         const kernels::Moments& moments, const kernels::Messages& messages,
                         const kernels::InputRow* next, const kernels::Moments& next_moments) {
    if (calls_left-- == 0) throw std::runtime_error("a cosmic ray");
    good.learn_input(layer, row, moments, messages, next, next_moments);
}

/// One thread fails: the block ends in all of them, even where they wait for each other, and from
/// then on every call reports that the learner is broken.
TEST(Learner, AFailureInOneThreadEndsTheBlock) {
    kernels::KernelTable table = kernels::best();
    good = table.mfb;
    table.mfb.learn_input = failing_learn_input;
    for (const std::size_t outputs : {1u, 4u}) {  // threads share a tree; have trees of their own
        for (const int calls : {0, 3, 500}) {
            calls_left = calls;
            const auto learner = make_tree_learner(start(outputs), {.threads = 3}, table);
            const Samples rows = samples(1000, all_inputs(), outputs == 1 ? 2 : outputs);
            std::vector<float> z(1000 * outputs);
            EXPECT_THROW(learner->learn(rows.block, rows.labels, z), std::runtime_error);
            EXPECT_THROW(learner->learn(rows.block, rows.labels, z), Error);
            EXPECT_THROW(learner->answer(rows.block, z), Error);
            EXPECT_THROW(learner->posterior(), Error);
        }
    }
}

TEST(Learner, AnUnknownBackendIsRefused) {
    EXPECT_THROW(make_learner(start(2), {.threads = 1, .backend = "abacus"}), Error);
}

}  // namespace
}  // namespace bitbayes::learn
