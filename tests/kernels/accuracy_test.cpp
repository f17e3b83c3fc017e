// The float kernels against the double core: one step over random, saturated and surprising states, the golden vectors,
// and the claims that hinge on rounding.
#include <cmath>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "../core/random_network.hpp"
#include "learn/learner.hpp"

namespace bitbayes::learn {
namespace {

using test::Random;

/// A core network and its float twin, fed the same samples.
struct Pair {
    core::Network exact;
    Posterior fast;
    ThreadTeam team{1};

    Pair(const core::Network& network) : exact(network) {
        const auto& layers = network.layers();
        std::vector<std::size_t> fan_ins;
        for (std::size_t l = 1; l < layers.size(); ++l) fan_ins.push_back(layers[l].K);
        fast = Posterior(Architecture::tree(layers[0].K, fan_ins, layers.back().V));
        copy_h();
    }
    /// Makes both start from the same float numbers.
    void copy_h() {
        for (std::size_t l = 0; l < fast.layers.size(); ++l) {
            auto& layer = exact.layers()[l];
            for (std::size_t i = 0; i < layer.V; ++i) {
                for (std::size_t j = 0; j < layer.K; ++j) {
                    const auto h = static_cast<float>(layer.h[i * layer.K + j]);
                    fast.layers[l].row(i)[j] = h;
                    layer.h[i * layer.K + j] = h;
                }
            }
        }
        fast.refresh_means();
    }
    /// One output: y is +1 or -1. Returns z = mu/sigma of the float twin before the step.
    float step(std::vector<double> x, double y) {
        data::InputBlock block;
        block.rows = 1;
        block.stride = padded(x.size());
        block.value.assign(block.stride, 0.0f);
        for (std::size_t j = 0; j < x.size(); ++j) x[j] = block.value[j] = static_cast<float>(x[j]);
        exact.step(x, std::vector{y});
        const std::uint32_t label = y > 0 ? 1 : 0;
        float z = 0;
        learn_block(fast, kernels::best(), team, block, {{&label, 1}, 1.0f}, {&z, 1});
        return z;
    }
    double worst_h() const {
        double worst = 0;
        for (std::size_t l = 0; l < fast.layers.size(); ++l) {
            const auto& layer = exact.layers()[l];
            for (std::size_t i = 0; i < layer.V; ++i) {
                for (std::size_t j = 0; j < layer.K; ++j) {
                    const double h = layer.h[i * layer.K + j];
                    worst = std::max(worst, std::fabs(fast.layers[l].row(i)[j] - h) /
                                                std::max(1.0, std::fabs(h)));
                }
            }
        }
        return worst;
    }
};

struct State {
    const char* name;
    double size;   // of h
    bool signs;    // +-1 inputs, else normal ones
    double bound;  // of |h_float - h_double| / max(1, |h|) after one step
};

TEST(Accuracy, OneStepStaysCloseToTheCore) {
    const State states[] = {{"prior", 0.2, false, 1e-6},
                            {"prior, +-1 inputs", 0.2, true, 1e-6},
                            {"half sure", 1.5, false, 2e-6},
                            {"half sure, +-1 inputs", 1.5, true, 2e-6},
                            {"sure", 4, false, 5e-6}};
    const std::vector<std::vector<std::size_t>> shapes = {{21}, {31, 9}, {101, 51}, {9, 5, 5}};
    Random random(11);
    for (const State& state : states) {
        double worst = 0, worst_z = 0;
        for (const auto& shape : shapes) {
            for (int n = 0; n < 200; ++n) {
                Pair pair(random.network(shape, 1, state.size));
                const auto x = state.signs ? random.signs(shape[0]) : random.normals(shape[0]);
                const float z = pair.step(x, random.sign());
                const auto& top = pair.exact.layers().back();
                const double exact_z = top.mu[0] / std::sqrt(top.sigma2[0]);
                worst_z =
                    std::max(worst_z, std::fabs(z - exact_z) / std::max(1.0, std::fabs(exact_z)));
                worst = std::max(worst, pair.worst_h());
            }
        }
        std::printf("%-22s h %.2g  z %.2g\n", state.name, worst, worst_z);
        EXPECT_LT(worst, state.bound) << state.name;
        EXPECT_LT(worst_z, 2e-5) << state.name;
    }
}

TEST(Accuracy, SaturatedNetworksActLikeTheCore) {
    // Every weight certain, inputs +-1: the paper's fixed point and its opposite. tanh saturates, so R is 0 or +-1 here
    // and the float floor must not change which of them it is.
    Random random(12);
    for (const auto& shape :
         std::vector<std::vector<std::size_t>>{{9}, {101}, {15, 9}, {101, 51}, {9, 5, 5}}) {
        for (int n = 0; n < 300; ++n) {
            Pair pair(random.certain_network(shape, 1, 12 + 10 * random.uniform(0, 1)));
            pair.step(random.signs(shape[0]), random.sign());
            ASSERT_LT(pair.worst_h(), 1e-5) << "fan-in " << shape[0] << ", depth " << shape.size();
        }
    }
}

TEST(Accuracy, GoldenVectorsInFloat) {
    double worst = 0;
    for (const auto& entry : std::filesystem::directory_iterator(BITBAYES_GOLDEN_DIR)) {
        std::ifstream stream(entry.path());
        const auto file = nlohmann::json::parse(stream);
        if (!file.contains("steps") || file["widths"].back() != 1) continue;
        core::Network net(file["fan_in"].get<std::vector<std::size_t>>(), 1);
        for (std::size_t l = 0; l < net.layers().size(); ++l) {
            std::size_t at = 0;
            for (const auto& row : file["h0"][l]) {
                for (const auto& h : row) net.layers()[l].h[at++] = h;
            }
        }
        Pair pair(net);
        for (const auto& step : file["steps"])
            pair.step(step["x"].get<std::vector<double>>(), step["y"][0]);
        std::printf("%-28s h %.2g\n", entry.path().stem().c_str(), pair.worst_h());
        worst = std::max(worst, pair.worst_h());
    }
    EXPECT_LT(worst, 5e-5);
}

TEST(Accuracy, PowersOfTwoInAmplitudeChangeNoBit) {
    Random random(13);
    for (const double c : {0x1p10, 0x1p-10, 0x1p-30}) {
        Pair a(random.network({33, 9}, 1, 1));
        Pair b(a.exact);
        for (int n = 0; n < 50; ++n) {
            auto x = random.normals(33);
            const double y = random.sign();
            a.step(x, y);
            for (double& value : x) value *= c;
            b.step(x, y);
        }
        for (std::size_t l = 0; l < a.fast.layers.size(); ++l) {
            ASSERT_EQ(a.fast.layers[l].h, b.fast.layers[l].h) << c;
        }
    }
}

TEST(Accuracy, UniformPriorAndZeroInputsMoveNothing) {
    Random random(14);
    Pair uniform(core::Network({33, 9}, 1));
    for (int n = 0; n < 20; ++n) uniform.step(random.normals(33), random.sign());
    for (const auto& layer : uniform.fast.layers) {
        for (const float h : layer.h) ASSERT_EQ(h, 0);
    }
    Pair silent(random.network({33, 9}, 1, 1));
    const auto before = silent.fast.layers[0].h;
    silent.step(std::vector<double>(33, 0.0), 1);
    EXPECT_EQ(silent.fast.layers[0].h, before);
    EXPECT_LT(silent.worst_h(), 1e-6);
}

TEST(Accuracy, DriftAfterTenThousandSteps) {
    Random random(15);
    const auto teacher = random.certain_network({21, 15}, 1, 1);
    Pair pair(random.network({21, 15}, 1, 0.4));
    double errors = 0, fast_errors = 0;
    for (int n = 0; n < 10000; ++n) {
        const auto x = random.signs(21);
        const double y = teacher.clipped_output(x)[0];
        const float z = pair.step(x, y);
        errors += pair.exact.layers().back().mu[0] * y < 0;
        fast_errors += z * y < 0;
    }
    std::printf("drift of h %.2g, progressive errors %g (core) %g (float)\n", pair.worst_h(),
                errors, fast_errors);
    EXPECT_NEAR(errors, fast_errors, 0.03 * errors + 50);
}

}  // namespace
}  // namespace bitbayes::learn
