// Forgetting: the step by itself, in a run beside the double core, and the same bits however the work
// is divided.
#include "learn/forgetting.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "core/network.hpp"
#include "kernels/table.hpp"
#include "learn/learner.hpp"

namespace bitbayes::learn {
namespace {

constexpr std::uint64_t kMemory = 700, kSeed = 3;
constexpr double kScale = 1.5;

struct Samples {
    data::InputBlock block;
    std::vector<std::uint32_t> labels;
};

/// Every third input is 0; sparse blocks leave it out.
Samples samples(std::size_t rows, std::size_t inputs, std::size_t classes, bool sparse) {
    std::mt19937 engine(5);
    std::normal_distribution<float> normal;
    Samples out;
    out.block.rows = rows;
    out.block.sparse = sparse;
    out.block.stride = padded(inputs);
    if (sparse) out.block.row_start.push_back(0);
    if (!sparse) out.block.value.assign(rows * out.block.stride, 0);
    for (std::size_t r = 0; r < rows; ++r) {
        float sum = 0;
        for (std::uint32_t j = 0; j < inputs; ++j) {
            const float x = normal(engine);
            if ((r + j) % 3 == 0) continue;
            sum += x;
            if (sparse) {
                out.block.value.push_back(x);
                out.block.index.push_back(j);
            } else {
                out.block.value[r * out.block.stride + j] = x;
            }
        }
        if (sparse) out.block.row_start.push_back(out.block.value.size());
        out.labels.push_back(static_cast<std::uint32_t>(std::fabs(sum)) %
                             static_cast<std::uint32_t>(classes));
    }
    return out;
}

Samples part(const Samples& whole, std::size_t first, std::size_t last) {
    const auto from = [](const auto& all, std::size_t index) {
        return all.begin() + static_cast<std::ptrdiff_t>(index);
    };
    Samples out = whole;
    out.block.rows = last - first;
    out.labels.assign(from(whole.labels, first), from(whole.labels, last));
    if (whole.block.sparse) {
        out.block.row_start.assign(from(whole.block.row_start, first), whole.block.row_start.end());
    } else {
        out.block.value.assign(from(whole.block.value, first * whole.block.stride),
                               whole.block.value.end());
    }
    return out;
}

LearnerStart start_of(const Architecture& shape, float rate = 1) {
    LearnerStart start{shape, Posterior(shape)};
    start.posterior.draw_prior(kSeed, kScale);
    start.seed = kSeed;
    start.prior_scale = kScale;
    start.memory = kMemory;
    start.rate = rate;
    return start;
}

void learn(Learner& learner, const Samples& rows, std::size_t outputs) {
    std::vector<float> z(rows.block.rows * outputs);
    learner.learn(rows.block, rows.labels, z);
}

void expect_equal(const Posterior& a, const Posterior& b) {
    for (std::size_t l = 0; l < a.layers.size(); ++l) {
        EXPECT_EQ(a.layers[l].learned, b.layers[l].learned) << "layer " << l + 1;
        EXPECT_EQ(a.layers[l].carried, b.layers[l].carried) << "layer " << l + 1;
    }
}

TEST(Forgetting, TheShareIsThatOfTheFormula) {
    for (const std::uint64_t memory : {1u, 2u, 300u, 10000u, 100000000u}) {
        for (const std::uint64_t count : {0u, 1u, 256u, 768u}) {
            const double rho = 1 - 1 / static_cast<double>(memory);
            const double expected = 1 - std::pow(rho, static_cast<double>(count));
            EXPECT_NEAR(forgotten_share(memory, count), expected, 1e-7 * expected) << memory;
        }
    }
    EXPECT_EQ(forgotten_share(std::nullopt, 256), 0);
}

/// Evidence so small that no float moves: what changes is forgotten. Inputs that are not live keep
/// whatever they hold.
TEST(Forgetting, LeadsEveryLayerBackToTheDrawnPrior) {
    const std::vector<std::uint32_t> live = {0, 2, 3, 5, 8, 9, 10};
    const Architecture shapes[] = {Architecture::tree(12, {}, 2), Architecture::tree(12, {5}, 3),
                                   Architecture::tree(12, {3, 5}, 1),
                                   Architecture::dense(12, {20}, {3}, 2)};
    for (const Architecture& shape : shapes) {
        LearnerStart start = start_of(shape, 1e-30f);
        start.live_inputs = live;
        const Posterior prior = start.posterior;
        for (LayerPosterior& layer : start.posterior.layers) {
            for (float& h : layer.learned) h = 2 - 3 * h;
        }
        const Posterior before = start.posterior;
        const auto learner = make_learner(std::move(start), {.threads = 1});
        const std::size_t outputs = shape.outputs();
        const Samples rows = samples(255, live.size(), std::max<std::size_t>(2, outputs), false);
        learn(*learner, rows, outputs);
        for (std::size_t l = 0; l < shape.depth(); ++l) {
            EXPECT_EQ(learner->posterior().layers[l].learned, before.layers[l].learned);
        }
        learn(*learner, rows, outputs);  // passes 256
        learn(*learner, rows, outputs);  // and 512
        const double kept = std::pow(1 - 1.0 / kMemory, 512);
        const Posterior after = learner->posterior();
        for (std::size_t l = 0; l < shape.depth(); ++l) {
            const std::size_t K = shape.layers[l].fan_in;
            for (std::size_t ij = 0; ij < before.layers[l].learned.size(); ++ij) {
                const double h0 = prior.layers[l].learned[ij], h = before.layers[l].learned[ij];
                const bool moves = l > 0 || std::count(live.begin(), live.end(), ij % K) > 0;
                ASSERT_NEAR(after.layers[l].learned[ij], moves ? h0 + kept * (h - h0) : h, 1e-6)
                    << "layer " << l + 1 << " of " << shape.depth() << ", " << ij;
            }
        }
    }
}

TEST(Forgetting, TreesFollowTheCore) {
    constexpr std::size_t kInputs = 9, kRows = 800;
    for (const std::vector<std::size_t>& fan_ins : {std::vector<std::size_t>{5}, {}, {3, 5}}) {
        const Architecture shape = Architecture::tree(kInputs, fan_ins, 3);
        std::vector<std::size_t> all_fan_ins = {kInputs};
        all_fan_ins.insert(all_fan_ins.end(), fan_ins.begin(), fan_ins.end());
        core::Network exact(all_fan_ins, 3);
        const LearnerStart start = start_of(shape);
        const auto h0 = [&](std::size_t l) -> const std::vector<float>& {
            return start.posterior.layers[l].learned;
        };
        for (std::size_t l = 0; l < shape.depth(); ++l) {
            exact.layers()[l].h.assign(h0(l).begin(), h0(l).end());
        }
        const Samples rows = samples(kRows, kInputs, 3, false);
        for (std::size_t r = 0; r < kRows; ++r) {
            const float* x = rows.block.value.data() + r * rows.block.stride;
            std::vector<double> y(3, -1);
            y[rows.labels[r]] = 1;
            exact.step(std::vector<double>(x, x + kInputs), y);
            if ((r + 1) % kernels::kRefreshEvery != 0) continue;
            const double kept = std::pow(1 - 1.0 / kMemory, kernels::kRefreshEvery);
            for (std::size_t l = 0; l < shape.depth(); ++l) {
                auto& h = exact.layers()[l].h;
                for (std::size_t ij = 0; ij < h.size(); ++ij) {
                    h[ij] = h0(l)[ij] + kept * (h[ij] - h0(l)[ij]);
                }
            }
        }
        for (const bool sparse : {false, true}) {
            LearnerStart again = start;
            again.sparse = sparse;
            const auto learner = make_learner(std::move(again), {.threads = 1});
            learn(*learner, samples(kRows, kInputs, 3, sparse), 3);
            const Posterior learned = learner->posterior();
            for (std::size_t l = 0; l < shape.depth(); ++l) {
                for (std::size_t ij = 0; ij < exact.layers()[l].h.size(); ++ij) {
                    const double h = exact.layers()[l].h[ij];
                    ASSERT_NEAR(learned.layers[l].learned[ij], h,
                                1e-3 * std::max(1.0, std::fabs(h)))
                        << "layer " << l + 1 << " of " << shape.depth() << ", sparse " << sparse;
                }
            }
        }
    }
}

/// With 130 neurons there is work for three threads in one tree; the learners start 20 rows before one
/// forgets.
TEST(Forgetting, ThreadsLevelsBlocksAndStopsGiveTheSameBits) {
    constexpr std::size_t kInputs = 101, kRows = 40;
    const Architecture shapes[] = {
        Architecture::tree(kInputs, {130}, 1), Architecture::tree(kInputs, {130}, 3),
        Architecture::tree(kInputs, {13, 10}, 1), Architecture::dense(kInputs, {150}, {5}, 3)};
    for (const Architecture& shape : shapes) {
        const std::size_t outputs = shape.outputs(), classes = std::max<std::size_t>(2, outputs);
        for (const bool sparse : {false, true}) {
            LearnerStart start = start_of(shape);
            start.sparse = sparse;
            start.samples_seen = kernels::kRefreshEvery - 20;
            const Samples rows = samples(kRows, kInputs, classes, sparse);
            const auto one = make_learner(start, {.threads = 1});
            learn(*one, rows, outputs);
            for (const Context& context :
                 {Context{2, "auto"}, Context{5, "auto"}, Context{1, "scalar"}}) {
                const auto other = make_learner(start, context);
                learn(*other, rows, outputs);
                expect_equal(one->posterior(), other->posterior());
            }
            for (const std::size_t stop : {1u, 19u, 20u, 21u}) {
                const auto first = make_learner(start, {.threads = 1});
                learn(*first, part(rows, 0, stop), outputs);
                LearnerStart rest = start;
                rest.posterior = first->posterior();
                rest.samples_seen = first->samples_seen();
                const auto second = make_learner(std::move(rest), {.threads = 1});
                learn(*second, part(rows, stop, kRows), outputs);
                expect_equal(one->posterior(), second->posterior());
            }
        }
    }
}

/// Neurons so sure that a small step is skipped take it once they have forgotten: a learner that has
/// seen them sure goes on like one that has not.
TEST(Forgetting, SureNeuronsMoveAgain) {
    LearnerStart start = start_of(Architecture::tree(9, {5}, 1), 1e-6f);
    start.memory = 100;
    for (float& h : start.posterior.layers[0].learned) h = 16;
    const Samples rows = samples(300, 9, 2, false);
    const auto learner = make_learner(start, {.threads = 1});
    learn(*learner, part(rows, 0, 256), 1);
    LearnerStart rest = start;
    rest.posterior = learner->posterior();
    rest.samples_seen = 256;
    const auto other = make_learner(rest, {.threads = 1});
    learn(*learner, part(rows, 256, 300), 1);
    learn(*other, part(rows, 256, 300), 1);
    expect_equal(learner->posterior(), other->posterior());
    EXPECT_NE(learner->posterior().layers[0].learned, rest.posterior.layers[0].learned);
}

/// A batch may pass several multiples of the step.
TEST(Forgetting, LongBatchesForgetAllTheirSamples) {
    const Architecture shape = Architecture::dense(9, {20}, {}, 2);
    LearnerStart start = start_of(shape, 1e-30f);
    for (LayerPosterior& layer : start.posterior.layers) {
        for (float& h : layer.learned) h += 1;
    }
    const Posterior before = start.posterior;
    start.practice.batch = 600;
    const auto learner = make_learner(std::move(start), {.threads = 1});
    learn(*learner, samples(600, 9, 2, false), 2);
    const double forgotten = 1 - std::pow(1 - 1.0 / kMemory, 512);
    EXPECT_NEAR(before.layers[0].learned[7] - learner->posterior().layers[0].learned[7], forgotten,
                1e-6);
}

}  // namespace
}  // namespace bitbayes::learn
