// BackProp in the learner against its plain double twin, and the twin against the gradient of E.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "learn/tree_learner.hpp"
#include "plain_backprop.hpp"

namespace bitbayes::learn {
namespace {

using test::PlainBackprop;

struct Case {
    std::size_t inputs;
    std::vector<std::size_t> tree;  // odd and even fan-ins, more and fewer than 16
    std::size_t outputs;
    bool sparse = false;

    Posterior posterior() const {
        Posterior result(Architecture::tree(inputs, tree, outputs), Algorithm::kBackprop);
        result.draw_prior(7, 1);
        return result;
    }
    std::string text() const {
        return "inputs " + std::to_string(inputs) + ", depth " + std::to_string(tree.size() + 1) +
               ", outputs " + std::to_string(outputs) + (sparse ? ", sparse" : "");
    }
};

const Case kCases[] = {{1, {}, 1},          {17, {}, 3},           {21, {7}, 1},
                       {16, {8}, 3},        {33, {19}, 5},         {14, {3, 2}, 1},
                       {20, {4, 5}, 3},     {30, {}, 4, true},     {41, {6}, 1, true},
                       {50, {17}, 3, true}, {35, {5, 4}, 2, true}, {130, {101}, 1}};

/// Rows as the learner takes them and as plain vectors, with random classes.
struct Samples {
    data::InputBlock block;
    std::vector<std::vector<double>> x;
    std::vector<std::uint32_t> labels;

    Samples(const Case& c, std::size_t rows, unsigned seed) {
        std::mt19937 engine(seed);
        std::normal_distribution<float> normal;
        block.sparse = c.sparse;
        block.rows = rows;
        block.stride = padded(c.inputs);
        block.row_start = {0};
        for (std::size_t r = 0; r < rows; ++r) {
            x.emplace_back(c.inputs);
            for (std::uint32_t j = 0; j < c.inputs; ++j) {
                if (c.sparse && engine() % 3 != 0) continue;
                const float value = normal(engine);
                x[r][j] = value;
                block.value.push_back(value);
                block.index.push_back(j);
            }
            if (!c.sparse) block.value.resize((r + 1) * block.stride);
            block.row_start.push_back(block.value.size());
            labels.push_back(
                static_cast<std::uint32_t>(engine() % std::max<std::size_t>(2, c.outputs)));
        }
        block.value.resize(block.value.size() + kLanes);  // never empty
    }
    Samples only(std::size_t r) const {
        Samples one = *this;
        const auto first = static_cast<std::ptrdiff_t>(block.row_start[r]);
        one.block.rows = 1;
        one.block.value.erase(one.block.value.begin(), one.block.value.begin() + first);
        if (block.sparse)
            one.block.index.erase(one.block.index.begin(), one.block.index.begin() + first);
        one.block.row_start = {0, block.row_start[r + 1] - block.row_start[r]};
        one.labels = {labels[r]};
        return one;
    }
    std::vector<double> targets(std::size_t r, std::size_t outputs) const {
        if (outputs == 1) return {labels[r] == 1 ? 1.0 : -1.0};
        std::vector<double> y(outputs, -1);
        y[labels[r]] = 1;
        return y;
    }
};

std::unique_ptr<Learner> learner_of(const Posterior& posterior, bool sparse, float rate,
                                    const kernels::KernelTable& table, unsigned threads) {
    Architecture shape{posterior.layers[0].shape.fan_in, {}};
    for (const LayerPosterior& layer : posterior.layers) shape.layers.push_back(layer.shape);
    return make_tree_learner({shape, posterior, rate, 0, std::nullopt, sparse},
                             {.threads = threads}, table);
}

std::vector<float> learn(Posterior& posterior, const Samples& samples, float rate,
                         const kernels::KernelTable& table = kernels::best(),
                         unsigned threads = 1) {
    std::vector<float> z(samples.block.rows * posterior.layers.back().shape.neurons);
    const auto learner = learner_of(posterior, samples.block.sparse, rate, table, threads);
    learner->learn(samples.block, samples.labels, z);
    posterior = learner->posterior();
    return z;
}

bool same_bytes(const Posterior& a, const Posterior& b) {
    for (std::size_t l = 0; l < a.layers.size(); ++l) {
        if (a.layers[l].learned != b.layers[l].learned) return false;
    }
    return true;
}

TEST(PlainBackprop, StepIsMinusEtaTimesTheGradient) {
    // Central differences: h^2 E''' / 6 and the rounding 2^-53 E / h are both below 1e-9.
    constexpr double kEta = 0.1, kStep = 1e-5;
    for (const Case& c :
         {Case{5, {}, 2}, Case{5, {3}, 2}, Case{4, {3, 2}, 2}, Case{3, {2, 3}, 1}}) {
        SCOPED_TRACE(c.text());
        const Samples samples(c, 1, 3);
        const auto y = samples.targets(0, c.outputs);
        const PlainBackprop start(c.posterior());
        PlainBackprop learned = start, probe = start;
        learned.learn(samples.x[0], y, kEta);
        double largest = 0;
        for (std::size_t l = 0; l < start.layers.size(); ++l) {
            for (std::size_t k = 0; k < start.layers[l].W.size(); ++k) {
                double& W = probe.layers[l].W[k];
                const double W0 = W;
                W = W0 + kStep;
                const double above = probe.error(samples.x[0], y);
                W = W0 - kStep;
                const double below = probe.error(samples.x[0], y);
                W = W0;
                const double gradient = (above - below) / (2 * kStep);
                EXPECT_NEAR(learned.layers[l].W[k] - W0, -kEta * gradient, 1e-9);
                largest = std::max(largest, std::fabs(gradient));
            }
        }
        EXPECT_GT(largest, 0.1);  // there was something to compare
    }
}

TEST(Backprop, LearnerFollowsThePlainTwin) {
    // Float against double, per step: a weight rounds by 2^-24 of its size, and the step, a few percent
    // of a weight, has a relative error of some 2^-21 (sums over K in 16 lanes, tanh at 3e-7): together
    // at most 2^-22 where |W| is about 1. These errors have random signs, so n of them add up to
    // sqrt(n), and with eta K s'^2 < 1 a step makes earlier ones no larger. Measured: 6e-7.
    constexpr std::size_t kRows = 300;
    const double kTolerance = std::sqrt(kRows) * 0x1p-22;  // 4e-6
    for (const Case& c : kCases) {
        SCOPED_TRACE(c.text());
        const Samples samples(c, kRows, 11);
        Posterior posterior = c.posterior();
        const Posterior start = posterior;
        PlainBackprop plain(posterior);
        const float rate = 0.3f / static_cast<float>(c.inputs);
        const auto z = learn(posterior, samples, rate);
        for (std::size_t r = 0; r < kRows; ++r) {
            plain.learn(samples.x[r], samples.targets(r, c.outputs), rate);
            for (std::size_t k = 0; k < c.outputs; ++k) {
                const double u = plain.layers.back().u[k];  // before the step
                ASSERT_NEAR(z[r * c.outputs + k], u, kTolerance * std::max(1.0, std::fabs(u)));
            }
        }
        for (std::size_t l = 0; l < plain.layers.size(); ++l) {
            double moved = 0;
            for (std::size_t i = 0; i < plain.layers[l].V; ++i) {
                const auto w = posterior.layers[l].row(i);
                const auto before = start.layers[l].row(i);
                for (std::size_t j = 0; j < w.size(); ++j) {
                    const double W = plain.layers[l].W[i * w.size() + j];
                    ASSERT_NEAR(w[j], W, kTolerance * std::max(1.0, std::fabs(W)));
                    moved = std::max(moved, std::fabs(W - before[j]));
                }
            }
            EXPECT_GT(moved, 1000 * kTolerance) << "layer " << l + 1;
        }
    }
}

TEST(Backprop, ThreadsAndLevelsGiveTheSameBytes) {
    for (const Case& c : kCases) {  // the last one is a tree that three threads share
        SCOPED_TRACE(c.text());
        const Samples samples(c, 120, 13);
        const Posterior start = c.posterior();
        Posterior one = start;
        const auto z = learn(one, samples, 0.05f);
        EXPECT_FALSE(same_bytes(one, start));
        for (const unsigned threads : {2u, 3u}) {
            Posterior many = start;
            EXPECT_EQ(learn(many, samples, 0.05f, kernels::best(), threads), z);
            EXPECT_TRUE(same_bytes(one, many)) << threads;
        }
        auto levels = kernels::simd_levels();
        levels.push_back(&kernels::scalar());
        for (const kernels::KernelTable* level : levels) {
            Posterior other = start;
            EXPECT_EQ(learn(other, samples, 0.05f, *level), z);
            EXPECT_TRUE(same_bytes(one, other)) << level->name;
        }
    }
}

TEST(Backprop, AnswersOfABlockAreThoseBeforeLearning) {
    for (const Case& c : kCases) {
        SCOPED_TRACE(c.text());
        const Samples all(c, 40, 14);
        Posterior in_one_block = c.posterior(), row_by_row = c.posterior();
        const auto z = learn(in_one_block, all, 0.1f);
        for (std::size_t r = 0; r < all.block.rows; ++r) {
            const Samples one = all.only(r);
            std::vector<float> asked(c.outputs);
            learner_of(row_by_row, c.sparse, 0.1f, kernels::best(), 1)->answer(one.block, asked);
            EXPECT_EQ(learn(row_by_row, one, 0.1f), asked);
            EXPECT_EQ(asked, std::vector<float>(&z[r * c.outputs], &z[r * c.outputs] + c.outputs));
        }
        EXPECT_TRUE(same_bytes(in_one_block, row_by_row));
    }
}

TEST(Backprop, FirstWeightsHaveVarianceOneOverTheFanIn) {
    for (const std::vector<std::size_t>& tree :
         {std::vector<std::size_t>{}, std::vector<std::size_t>{300},
          std::vector<std::size_t>{60, 40}}) {
        Posterior posterior(Architecture::tree(500, tree, 10), Algorithm::kBackprop);
        posterior.draw_prior(1, 1);
        for (const LayerPosterior& layer : posterior.layers) {
            const auto K = static_cast<double>(layer.shape.fan_in);
            const auto n = static_cast<double>(layer.shape.weights());
            double sum = 0, square = 0, largest = 0;
            for (std::size_t i = 0; i < layer.shape.neurons; ++i) {
                for (const float w : layer.row(i)) {
                    sum += w;
                    square += double{w} * w;
                    largest = std::max(largest, std::fabs(double{w}));
                }
            }
            // Five standard deviations: of the mean 1 / sqrt(n K), of the square 2 / sqrt(5 n) / K.
            EXPECT_NEAR(sum / n, 0, 5 / std::sqrt(n * K));
            EXPECT_NEAR(square / n * K, 1, 5 * 2 / std::sqrt(5 * n));
            EXPECT_LE(largest, std::sqrt(3 / K) * 1.000001);
            EXPECT_GT(largest, std::sqrt(3 / K) * 0.95);
        }
    }
}

}  // namespace
}  // namespace bitbayes::learn
