// The golden vectors of the double core, replayed on a card; and ten thousand samples, after which card and CPU still have the same bits.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "cuda/on_card.hpp"
#include "learn/card_learner.hpp"
#include "learn/tree_learner.hpp"

namespace bitbayes::learn {
namespace {

using Json = nlohmann::json;
using Matrix = std::vector<std::vector<double>>;

constexpr double kTolerance = 5e-5;  // of h, relative to max(1, |h|): that of the CPU's floats
const cuda::CardLimits kLimits{"emulated", 6, 64, 100u << 10, 1u << 30};

/// BITBAYES_GOLDEN: where they are on a machine other than the one that built this.
std::filesystem::path golden_folder() {
    const char* elsewhere = std::getenv("BITBAYES_GOLDEN");
    return elsewhere == nullptr ? BITBAYES_GOLDEN_DIR : elsewhere;
}

Json golden(const std::filesystem::path& path) { return Json::parse(std::ifstream(path)); }

data::InputBlock block_of(const Matrix& rows) {
    data::InputBlock block;
    block.rows = rows.size();
    block.stride = padded(rows[0].size());
    block.value.assign(block.rows * block.stride, 0);
    for (std::size_t r = 0; r < rows.size(); ++r)
        std::copy(rows[r].begin(), rows[r].end(), block.value.begin() + r * block.stride);
    return block;
}

std::unique_ptr<Learner> on_card(const Architecture& architecture, const std::vector<Matrix>& h,
                                 float rate, std::size_t batch) {
    LearnerStart start;
    start.architecture = architecture;
    start.posterior = Posterior(architecture);
    for (std::size_t l = 0; l < h.size(); ++l) {
        auto& learned = start.posterior.layers[l].learned;
        learned.clear();
        for (const auto& row : h[l]) learned.insert(learned.end(), row.begin(), row.end());
    }
    start.rate = rate;
    start.practice.batch = batch;
    return make_card_learner(std::move(start), {}, test_card(kLimits));
}

double worst(const Posterior& posterior, const std::vector<Matrix>& expected) {
    double worst = 0;
    for (std::size_t l = 0; l < expected.size(); ++l) {
        for (std::size_t i = 0; i < expected[l].size(); ++i) {
            for (std::size_t j = 0; j < expected[l][i].size(); ++j) {
                const double h = expected[l][i][j], found = posterior.layers[l].row(i)[j];
                worst = std::max(worst, std::fabs(found - h) / std::max(1.0, std::fabs(h)));
            }
        }
    }
    return worst;
}

/// The rows of one of several trees.
std::vector<Matrix> of_tree(const std::vector<Matrix>& layers, std::size_t tree,
                            std::size_t trees) {
    std::vector<Matrix> own;
    for (const Matrix& layer : layers) {
        const auto count = static_cast<std::ptrdiff_t>(layer.size() / trees);
        const auto first = layer.begin() + static_cast<std::ptrdiff_t>(tree) * count;
        own.emplace_back(first, first + count);
    }
    return own;
}

TEST(CardGolden, TreesStayCloseToTheCore) {
    std::size_t files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(golden_folder())) {
        const Json file = golden(entry.path());
        if (!file.contains("steps")) continue;
        ++files;
        const std::vector<Matrix> h0 = file["h0"];
        const std::vector<std::size_t> fan_in = file["fan_in"];
        const std::size_t trees = file["widths"].back();
        const auto shape = Architecture::tree(fan_in[0], {fan_in.begin() + 1, fan_in.end()}, 1);
        for (std::size_t t = 0; t < trees; ++t) {
            const auto learner = on_card(shape, of_tree(h0, t, trees), 1, 1);
            const auto expect_close = [&](const Learner& on_it, const std::vector<Matrix>& h) {
                EXPECT_LT(worst(on_it.posterior(), of_tree(h, t, trees)), kTolerance)
                    << entry.path().stem() << ", tree " << t;
            };
            for (const Json& step : file["steps"]) {
                const std::uint32_t label = step["y"][t] > 0 ? 1 : 0;
                float z = 0;
                learner->learn(block_of(Matrix{step["x"].get<std::vector<double>>()}), {&label, 1},
                               {&z, 1});
                if (step.contains("h")) expect_close(*learner, step["h"]);
            }
            expect_close(*learner, file["h_final"]);
        }
    }
    EXPECT_GE(files, 10u);
}

TEST(CardGolden, DenseNetworksStayCloseToTheCore) {
    const Json file = golden(golden_folder() / "dense_deep.json");
    const std::vector<std::size_t> widths = file["widths"];
    const auto shape = Architecture::dense(widths.front(), {widths.begin() + 1, widths.end() - 1},
                                           {}, widths.back());
    ASSERT_EQ(shape.outputs(), 1u);
    const float evidence = file["evidence"];
    const std::size_t batch = file["batches"][0]["X"].size();
    const auto learner = on_card(shape, file["h0"], evidence, batch);
    for (const Json& each : file["batches"]) {
        std::vector<std::uint32_t> labels;
        for (const Json& y : each["Y"]) labels.push_back(y[0] > 0 ? 1 : 0);
        std::vector<float> z(labels.size());
        learner->learn(block_of(each["X"]), labels, z);
        EXPECT_LT(worst(learner->posterior(), each["h"]), kTolerance);
    }
}

TEST(CardLearner, HasTheBitsOfTheCpuAfterTenThousandSamples) {
    constexpr std::size_t kRows = 500, kBlocks = 20;
    const auto shape = Architecture::tree(19, {3}, 1);
    const auto start = [&] {
        LearnerStart s;
        s.architecture = shape;
        s.posterior = Posterior(shape);
        s.posterior.draw_prior(5, 1);
        return s;
    };
    const auto cpu = make_tree_learner(start(), {.threads = 1}, kernels::best());
    const auto card =
        make_card_learner(start(), {}, test_card({"emulated", 1, 64, 100u << 10, 1u << 30}));
    for (unsigned b = 0; b < kBlocks; ++b) {
        const auto block = random_rows(kRows, 19, b);
        std::vector<std::uint32_t> labels(kRows);
        for (std::size_t r = 0; r < kRows; ++r) {
            const float* x = block.value.data() + r * block.stride;
            labels[r] = x[0] + x[1] - x[2] > 0 ? 1 : 0;
        }
        std::vector<float> z_cpu(kRows), z_card(kRows);
        cpu->learn(block, labels, z_cpu);
        card->learn(block, labels, z_card);
        ASSERT_EQ(z_cpu, z_card) << "block " << b;
    }
    cpu->end_epoch();
    card->end_epoch();
    expect_same(cpu->posterior(), card->posterior());
}

}  // namespace
}  // namespace bitbayes::learn
