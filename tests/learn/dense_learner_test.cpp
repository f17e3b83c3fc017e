// The learner of dense networks: one step against the double core, and the same bits however the
// work is divided.
#include "learn/dense_learner.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "bitbayes/types/error.hpp"
#include "core/dense_network.hpp"
#include "learn/learner.hpp"

namespace bitbayes::learn {
namespace {

struct Rows {
    data::InputBlock block;
    std::vector<std::uint32_t> labels;
    std::vector<float> weights;
};

/// Every third input of a row is 0; sparse blocks leave it out.
Rows random_rows(std::size_t rows, std::size_t inputs, std::size_t classes, bool sparse = false) {
    std::mt19937 engine(7);
    std::normal_distribution<float> normal;
    Rows out;
    out.block.rows = rows;
    out.block.sparse = sparse;
    out.block.stride = padded(inputs);
    if (sparse) out.block.row_start.push_back(0);
    if (!sparse) out.block.value.assign(rows * out.block.stride, 0);
    for (std::size_t r = 0; r < rows; ++r) {
        for (std::uint32_t j = 0; j < inputs; ++j) {
            const float x = normal(engine);
            if ((r + j) % 3 == 0) continue;
            if (sparse) {
                out.block.value.push_back(x);
                out.block.index.push_back(j);
            } else {
                out.block.value[r * out.block.stride + j] = x;
            }
        }
        if (sparse) out.block.row_start.push_back(out.block.value.size());
        out.labels.push_back(static_cast<std::uint32_t>(engine() % classes));
        out.weights.push_back(0.5f + static_cast<float>(engine() % 4));
    }
    return out;
}

LearnerStart start_of(const Architecture& shape, float rate = 2, double h_size = 1,
                      Algorithm algorithm = Algorithm::kMfb) {
    LearnerStart start{shape, Posterior(shape, algorithm)};
    start.posterior.draw_prior(3, h_size);
    start.rate = rate;
    return start;
}

core::DenseNetwork core_of(const LearnerStart& start) {
    std::vector<core::DenseShape> shapes;
    for (const LayerShape& layer : start.architecture.layers) {
        shapes.push_back({layer.neurons, layer.fan_in, layer.connectivity == Connectivity::kDense});
    }
    core::DenseNetwork network(shapes);
    network.label_noise.assign(start.label_noise.eps.begin(), start.label_noise.eps.end());
    for (std::size_t l = 0; l < shapes.size(); ++l) {
        const auto& h = start.posterior.layers[l].learned;
        network.layers()[l].h.assign(h.begin(), h.end());
    }
    return network;
}

void step(core::DenseNetwork& network, const Rows& rows, std::size_t inputs, std::size_t outputs,
          double evidence) {
    for (std::size_t r = 0; r < rows.block.rows; ++r) {
        const float* x = rows.block.value.data() + r * rows.block.stride;
        std::vector<double> y(outputs, -1);
        if (outputs > 1) {
            y[rows.labels[r]] = 1;
        } else if (rows.labels[r] == 1) {
            y[0] = 1;
        }
        network.accumulate(std::vector<double>(x, x + inputs), y, rows.weights[r]);
    }
    network.update(evidence);
}

const Architecture kShapes[] = {
    Architecture::dense(37, {20}, {}, 3),       Architecture::dense(37, {20}, {}, 1),
    Architecture::dense(37, {33, 16}, {}, 18),  Architecture::dense(5, {4, 3, 2}, {}, 2),
    Architecture::dense(37, {20}, {5}, 3),      Architecture::dense(37, {20, 7}, {3, 5}, 2),
    Architecture::dense(300, {70, 50}, {}, 10),
};

/// 0.05, 0.1, 0.15, ...; none: empty.
std::vector<float> label_noise(std::size_t outputs, bool none) {
    std::vector<float> eps(none ? 0 : outputs);
    for (std::size_t k = 0; k < eps.size(); ++k) eps[k] = 0.05f * static_cast<float>(k % 8 + 1);
    return eps;
}

TEST(DenseLearner, OneStepAgreesWithTheCore) {
    for (const Architecture& shape : kShapes) {
        const std::size_t outputs = shape.outputs();
        for (const std::size_t batch : {1, 3, 4, 30}) {
            for (const double h_size : {0.3, 1.0, 4.0}) {
                auto start = start_of(shape, 2, h_size);
                start.label_noise.eps = label_noise(outputs, batch == 3);
                auto network = core_of(start);
                start.practice.batch = batch;
                const auto learner = make_learner(std::move(start), {1, "auto"});
                const Rows rows =
                    random_rows(batch, shape.inputs, std::max<std::size_t>(outputs, 2));
                std::vector<float> z(batch * outputs);
                learner->learn(rows.block, rows.labels, z, rows.weights);
                step(network, rows, shape.inputs, outputs, 2);
                const Posterior learned = learner->posterior();
                for (std::size_t l = 0; l < shape.depth(); ++l) {
                    const auto& expected = network.layers()[l].h;
                    for (std::size_t ij = 0; ij < expected.size(); ++ij) {
                        ASSERT_NEAR(learned.layers[l].learned[ij], expected[ij], 1e-4)
                            << "layer " << l + 1 << " of " << shape.depth() << ", batch " << batch;
                    }
                }
            }
        }
    }
}

Posterior learned(LearnerStart start, const Rows& rows, const Context& context,
                  std::vector<float>* z_out = nullptr) {
    const std::size_t outputs = start.architecture.outputs();
    const auto learner = make_learner(std::move(start), context);
    std::vector<float> z(rows.block.rows * outputs);
    for (int pass = 0; pass < 2; ++pass) {
        learner->learn(rows.block, rows.labels, z, rows.weights);
    }
    if (z_out != nullptr) *z_out = z;
    return learner->posterior();
}

void expect_equal(const Posterior& a, const Posterior& b) {
    for (std::size_t l = 0; l < a.layers.size(); ++l) {
        EXPECT_EQ(a.layers[l].learned, b.layers[l].learned) << "layer " << l + 1;
    }
}

TEST(DenseLearner, ThreadsAndLevelsGiveTheSameBits) {
    for (const Architecture& shape : kShapes) {
        const Rows rows = random_rows(50, shape.inputs, std::max<std::size_t>(shape.outputs(), 2));
        for (const Algorithm algorithm : {Algorithm::kMfb, Algorithm::kBackprop}) {
            for (const std::size_t batch : {1, 2, 17, 1000}) {
                const auto start = [&] {
                    auto result = start_of(shape, 0.1f, 1, algorithm);
                    if (algorithm == Algorithm::kMfb) {
                        result.label_noise = {label_noise(shape.outputs(), false), batch > 1};
                    }
                    result.practice = {batch, 0.2, 0.3};
                    return result;
                };
                std::vector<float> z, other_z;
                const Posterior one = learned(start(), rows, {1, "auto"}, &z);
                for (const unsigned threads : {2, 5}) {
                    expect_equal(one, learned(start(), rows, {threads, "auto"}, &other_z));
                    EXPECT_EQ(z, other_z);
                }
                expect_equal(one, learned(start(), rows, {1, "scalar"}, &other_z));
                EXPECT_EQ(z, other_z);
            }
        }
    }
}

TEST(DenseLearner, SparseRowsGiveTheBitsOfDenseOnes) {
    const Architecture shape = Architecture::dense(37, {20, 7}, {}, 3);
    for (const std::size_t batch : {1, 20}) {
        for (const double drop : {0.0, 0.5}) {
            auto start = start_of(shape);
            start.practice = {batch, drop, drop};
            const Posterior dense = learned(start, random_rows(50, 37, 3), {1, "auto"});
            start.sparse = true;
            expect_equal(dense, learned(start, random_rows(50, 37, 3, true), {1, "auto"}));
        }
    }
}

TEST(DenseLearner, AnswersAreThoseFromBeforeLearning) {
    for (const Architecture& shape : kShapes) {
        const Rows rows = random_rows(50, shape.inputs, std::max<std::size_t>(shape.outputs(), 2));
        auto start = start_of(shape);
        start.practice.batch = 50;
        const auto learner = make_learner(std::move(start), {2, "auto"});
        std::vector<float> answered(50 * shape.outputs()), before(answered.size());
        learner->answer(rows.block, answered);
        learner->learn(rows.block, rows.labels, before);
        EXPECT_EQ(answered, before);
    }
}

TEST(DenseLearner, ABatchIsCutWhereTheBlockEnds) {
    const Architecture shape = Architecture::dense(37, {20}, {}, 3);
    auto start = start_of(shape);
    start.practice.batch = 30;
    const auto learner = make_learner(std::move(start), {1, "auto"});
    const Rows rows = random_rows(50, 37, 3);
    std::vector<float> z(150);
    learner->learn(rows.block, rows.labels, z);
    EXPECT_EQ(learner->samples_seen(), 50u);

    auto network = core_of(start_of(shape));
    Rows first = rows, second = rows;
    first.block.rows = 30;
    second.block.rows = 20;
    second.block.value.erase(
        second.block.value.begin(),
        second.block.value.begin() + static_cast<std::ptrdiff_t>(30 * rows.block.stride));
    second.labels.erase(second.labels.begin(), second.labels.begin() + 30);
    first.weights.assign(50, 1);
    second.weights.assign(50, 1);
    step(network, first, 37, 3, 2);
    step(network, second, 37, 3, 2);
    const Posterior learned = learner->posterior();
    for (std::size_t l = 0; l < 2; ++l) {
        for (std::size_t ij = 0; ij < network.layers()[l].h.size(); ++ij) {
            ASSERT_NEAR(learned.layers[l].learned[ij], network.layers()[l].h[ij], 1e-4);
        }
    }
}

TEST(DenseLearner, WeightsOfDeadInputsStay) {
    const Architecture shape = Architecture::dense(40, {20}, {}, 3);
    auto start = start_of(shape);
    const Posterior before = start.posterior;
    start.live_inputs.emplace();
    for (std::uint32_t j = 0; j < 40; ++j) {
        if (j % 13 != 5) start.live_inputs->push_back(j);
    }
    const auto after = learned(std::move(start), random_rows(50, 37, 3), {1, "auto"});
    for (std::size_t i = 0; i < 20; ++i) {
        for (std::size_t j = 0; j < 40; ++j) {
            const float was = before.layers[0].row(i)[j], is = after.layers[0].row(i)[j];
            EXPECT_EQ(was == is, j % 13 == 5) << i << ' ' << j;
        }
    }
}

TEST(DenseLearner, DropoutLeavesOutTheShareItSays) {
    const Architecture shape = Architecture::dense(1000, {16}, {}, 2);
    auto start = start_of(shape);
    const Posterior before = start.posterior;
    start.practice = {1, 0.25, 0};
    Rows rows = random_rows(1, 1000, 2);
    for (float& x : rows.block.value) x = 1;
    const auto learner = make_learner(std::move(start), {1, "auto"});
    std::vector<float> z(2);
    learner->learn(rows.block, rows.labels, z);
    const Posterior after = learner->posterior();
    std::size_t still = 0;
    for (std::size_t j = 0; j < 1000; ++j) {
        still += before.layers[0].row(0)[j] == after.layers[0].row(0)[j];
    }
    EXPECT_NEAR(static_cast<double>(still) / 1000, 0.25, 0.05);
    EXPECT_NE(before.layers[0].row(0)[999], after.layers[0].row(0)[999]) << "the constant stays";
}

TEST(DenseLearner, BackpropThatDivergesStopsAndStaysBroken) {
    const Architecture shape = Architecture::dense(37, {20}, {}, 3);
    const auto learner = make_learner(start_of(shape, 3e38f, 1, Algorithm::kBackprop), {1, "auto"});
    const Rows rows = random_rows(50, 37, 3);
    std::vector<float> z(150);
    EXPECT_THROW(learner->learn(rows.block, rows.labels, z), Error);
    EXPECT_THROW(learner->posterior(), Error);
}

TEST(DenseLearner, LargeBatchesOfASaturatedNetworkStayFinite) {
    const Architecture shape = Architecture::dense(37, {33, 16}, {}, 3);
    for (const std::size_t batch : {1, 10, 100, 1000}) {
        auto start = start_of(shape, 100, 20);
        start.practice.batch = batch;
        const Posterior after = learned(std::move(start), random_rows(1000, 37, 3), {2, "auto"});
        for (const auto& layer : after.layers) {
            for (const float h : layer.learned) ASSERT_TRUE(std::isfinite(h)) << batch;
        }
    }
}

}  // namespace
}  // namespace bitbayes::learn
