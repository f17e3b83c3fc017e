// Dense networks on a card have the bits of dense networks on the CPU.
#include <gtest/gtest.h>

#include <random>

#include "cuda/on_card.hpp"
#include "cuda/plan.hpp"
#include "learn/card_learner.hpp"
#include "learn/dense_learner.hpp"

namespace bitbayes::learn {
namespace {

struct Case {
    const char* name;
    std::size_t inputs;
    std::vector<std::size_t> widths;
    std::size_t classes;
    Practice practice;
    float rate = 2;
    LabelNoise noise = {};
    std::optional<std::uint64_t> memory = std::nullopt;
    double prior_scale = 1;
    bool weights = false, dead_inputs = false;
    Algorithm algorithm = Algorithm::kMfb;
    bool sparse = false;
    std::vector<std::size_t> tree = {};  // on top, as of --tree
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

Case backprop(const char* name, std::vector<std::size_t> widths, const Practice& practice) {
    Case c{name, 20, std::move(widths), 3, practice, 0.05f};
    c.algorithm = Algorithm::kBackprop;
    return c;
}

Case sparse(const char* name, Case c) {
    c.name = name;
    c.sparse = true;
    return c;
}

Case with_trees(const char* name, std::vector<std::size_t> tree, Case c) {
    c.name = name;
    c.tree = std::move(tree);
    return c;
}

std::vector<Case> cases() {
    LabelNoise fixed, automatic;
    fixed.eps = {0.05f, 0.02f, 0.1f};
    automatic.eps = {1e-4f, 1e-4f, 1e-4f};
    automatic.automatic = true;
    return {
        {"OneHiddenLayer", 20, {30}, 3, {7}},
        {"TwoHiddenLayers", 33, {20, 35}, 3, {10}},
        {"MoreThanATile", 70, {130}, 3, {70}},
        // Of four multiprocessors, whose work decides about the size of a tile.
        {"LargeTiles", 200, {130, 70}, 3, {411}},
        {"WideLayer", 20, {530}, 3, {7}},
        {"RowByRow", 20, {18}, 3, {1}},
        {"ThreeRows", 20, {18, 9}, 3, {3}},
        {"OneOutput", 20, {40}, 2, {8}},
        {"SeventeenClasses", 10, {12}, 17, {9}},
        {"Strong", 20, {30}, 3, {7}, 50},
        {"Sure", 20, {30}, 3, {7}, 2, {}, std::nullopt, 30},
        {"LabelNoise", 20, {30}, 3, {7}, 2, fixed},
        {"AutomaticLabelNoise", 20, {30}, 3, {7}, 20, automatic},
        {"Memory", 20, {30, 10}, 3, {7}, 2, {}, 500},
        {"Weights", 20, {30}, 3, {7}, 2, automatic, std::nullopt, 1, true},
        {"Dropout", 20, {30, 18}, 3, {7, 0.2, 0.5}},
        backprop("Backprop", {30}, {7}),
        backprop("BackpropLargeTiles", {130}, {411}),
        backprop("BackpropRowByRow", {18, 9}, {1}),
        backprop("BackpropWithDropout", {30, 18}, {7, 0.2, 0.5}),
        {"DeadInputs", 50, {30}, 3, {7}, 2, {}, std::nullopt, 1, false, true},
        sparse("Sparse", {"", 90, {30, 20}, 3, {7}}),
        sparse("SparseRowByRow", {"", 90, {18}, 3, {1}}),
        sparse("SparseStrong", {"", 40, {30}, 3, {7}, 50}),
        sparse("SparseDropout", {"", 90, {30}, 3, {7, 0.2, 0.5}}),
        sparse("SparseMemory", {"", 40, {30}, 3, {7}, 2, automatic, 500}),
        sparse("SparseBackprop", backprop("", {30}, {7})),
        with_trees("Trees", {5}, {"", 33, {20}, 3, {7}}),
        with_trees("TwoLayersOfTrees", {21, 3}, {"", 33, {20}, 3, {10}}),
        with_trees("TreesRowByRow", {5}, {"", 33, {20}, 3, {1}}),
        with_trees("TreesStrong", {17}, {"", 33, {20}, 3, {7}, 50}),
        with_trees("TreesDropout", {5, 3}, {"", 33, {20}, 2, {7, 0.2, 0.5}}),
        with_trees("TreesMemory", {7}, {"", 33, {12}, 3, {7}, 2, automatic, 500}),
        with_trees("TreesBackprop", {7, 3}, backprop("", {12}, {7})),
        with_trees("TreesOfSparseRows", {7}, sparse("", {"", 70, {12}, 3, {7}})),
    };
}

const cuda::CardLimits kLimits{"emulated", 4, 256, 48u << 10, 1u << 30};

constexpr std::uint64_t kSeen = kernels::kRefreshEvery - 20;

class CardDense : public testing::TestWithParam<Case> {
  protected:
    const Case& c() const { return GetParam(); }
    std::size_t outputs() const { return c().classes == 2 ? 1 : c().classes; }
    std::vector<std::uint32_t> live() const { return live_inputs(c().inputs, c().dead_inputs); }

    LearnerStart start() const {
        LearnerStart s;
        s.architecture = Architecture::dense(c().inputs, c().widths, c().tree, outputs());
        s.posterior = Posterior(s.architecture, c().algorithm);
        s.posterior.draw_prior(3, c().prior_scale);
        s.rate = c().rate;
        s.samples_seen = kSeen;
        s.seed = 3;
        s.prior_scale = c().prior_scale;
        s.label_noise = c().noise;
        if (!s.label_noise.eps.empty()) s.label_noise.eps.resize(outputs(), 0.03f);
        s.memory = c().memory;
        s.sparse = c().sparse;
        if (!c().sparse) s.live_inputs = live();
        s.practice = c().practice;
        return s;
    }

    data::InputBlock rows(std::size_t count, unsigned seed) const {
        return c().sparse ? random_sparse_rows(count, c().inputs, seed)
                          : random_rows(count, live().size(), seed);
    }
};

TEST_P(CardDense, HasTheBitsOfTheCpu) {
    Context one_thread;
    one_thread.threads = 1;
    const auto cpu = make_dense_learner(start(), one_thread, kernels::best());
    const auto card = make_card_learner(start(), {}, test_card(kLimits));
    std::mt19937 engine(7);
    std::size_t seen = 0;
    for (const std::size_t batches : {1u, 3u}) {
        const std::size_t count = batches * c().practice.batch + (batches > 1 ? 2 : 0);
        const data::InputBlock block = rows(count, static_cast<unsigned>(count));
        std::vector<std::uint32_t> labels(count);
        for (auto& label : labels) label = static_cast<std::uint32_t>(engine() % c().classes);
        std::vector<float> weights;
        for (std::size_t r = 0; c().weights && r < count; ++r) {
            weights.push_back(static_cast<float>(r % 3));
        }
        std::vector<float> z_cpu(count * outputs()), z_card(count * outputs(), -77);
        cpu->learn(block, labels, z_cpu, weights);
        card->learn(block, labels, z_card, weights);
        EXPECT_EQ(z_cpu, z_card);
        expect_same(cpu->posterior(), card->posterior());
        EXPECT_EQ(cpu->label_noise().eps, card->label_noise().eps);
        seen += count;
    }
    const data::InputBlock block = rows(11, 9);
    std::vector<float> z_cpu(11 * outputs()), z_card(11 * outputs(), -77);
    cpu->answer(block, z_cpu);
    card->answer(block, z_card);
    EXPECT_EQ(z_cpu, z_card);
    card->end_epoch();
    EXPECT_EQ(card->samples_seen(), kSeen + seen);
}

cuda::TileSize tile_of(cuda::DenseStep step, std::uint32_t rows, std::uint32_t inputs,
                       std::uint32_t neurons) {
    cuda::DenseWork work;
    work.step = step;
    work.rows = rows;
    work.layer.inputs = inputs;
    work.layer.neurons = neurons;
    work.below_neurons = inputs - 1;
    return cuda::plan_work(work, kLimits).size;
}

TEST(CardDensePlan, TheCasesReachEverySizeOfTiles) {
    using enum cuda::DenseStep;
    using enum cuda::TileSize;
    // LargeTiles
    EXPECT_EQ(tile_of(kForward, 411, 200, 130), kLarge);
    EXPECT_EQ(tile_of(kMessage, 411, 131, 70), kLarge);
    EXPECT_EQ(tile_of(kUpdate, 411, 200, 130), kLarge);
    EXPECT_EQ(tile_of(kTop, 411, 71, 3), kMedium);
    // MoreThanATile
    EXPECT_EQ(tile_of(kForward, 70, 70, 130), kMedium);
    EXPECT_EQ(tile_of(kMessage, 70, 131, 3), kMedium);
    EXPECT_EQ(tile_of(kUpdate, 70, 70, 130), kSmall);
    EXPECT_EQ(tile_of(kTop, 70, 131, 3), kSmall);
    // OneHiddenLayer
    EXPECT_EQ(tile_of(kForward, 7, 20, 30), kSmall);
    EXPECT_EQ(tile_of(kMessage, 7, 31, 3), kSmall);
}

TEST(CardDensePlan, FillsALargeCard) {
    const cuda::CardLimits card{"H200", 132, 512, 227u << 10, 1u << 30};
    cuda::DenseWork work;
    work.rows = 200;
    work.layer.inputs = 4097;
    work.layer.neurons = 4096;
    const auto hidden = cuda::plan_work(work, card);
    EXPECT_EQ(hidden.size, cuda::TileSize::kLarge);
    EXPECT_EQ(hidden.blocks, 128u);
    work.step = cuda::DenseStep::kTop;
    work.layer.neurons = 10;
    const auto top = cuda::plan_work(work, card);
    EXPECT_EQ(top.size, cuda::TileSize::kSmall);
    EXPECT_EQ(top.blocks, 25u);
}

INSTANTIATE_TEST_SUITE_P(All, CardDense, testing::ValuesIn(cases()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace bitbayes::learn
