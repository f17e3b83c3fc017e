// The float kernels against the double core: one step over random, saturated and surprising states, the golden vectors,
// and the claims that hinge on rounding.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <utility>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "../core/random_network.hpp"
#include "kernels/padded_layer.hpp"
#include "learn/learner.hpp"

namespace bitbayes::learn {
namespace {

using test::Random;

/// A core network and its float twin, fed the same samples.
struct Pair {
    core::Network exact;
    Posterior fast;  // as the learner hands it over after each step
    std::unique_ptr<Learner> learner;

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
        std::vector<std::size_t> fan_ins;
        for (std::size_t l = 1; l < fast.layers.size(); ++l) {
            fan_ins.push_back(fast.layers[l].shape.fan_in);
        }
        const std::size_t inputs = fast.layers[0].shape.fan_in;
        LearnerStart start{Architecture::tree(inputs, fan_ins, 1), fast};
        start.label_noise.eps.assign(exact.label_noise.begin(), exact.label_noise.end());
        learner = make_learner(std::move(start), {.threads = 1});
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
        learner->learn(block, {&label, 1}, {&z, 1});
        fast = learner->posterior();
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

/// mu = S / sqrt(K), sigma2 = T / K, nu and R of every layer, as the kernels compute them in one step of a network with
/// one output.
struct FloatStep {
    struct Layer {
        AlignedVector<float> S, T, nu;
        std::vector<double> R;
        kernels::Moments moments() { return {S.data(), T.data(), nu.data()}; }
    };
    std::vector<Layer> layers;

    FloatStep(const Posterior& posterior, const std::vector<double>& inputs, float y) {
        std::vector<test::PaddedLayer> network(posterior.layers.begin(), posterior.layers.end());
        const auto& table = kernels::best();
        AlignedVector<float> x(padded(inputs.size()));
        std::transform(inputs.begin(), inputs.end(), x.begin(),
                       [](double value) { return static_cast<float>(value); });
        kernels::InputRow row{x.data(), nullptr, x.size()};
        table.measure(row);
        for (const test::PaddedLayer& layer : network) {
            const kernels::MeansSlice means = layer.means();
            const std::size_t V = padded(layer.shape.neurons);
            layers.push_back({AlignedVector<float>(V), AlignedVector<float>(V),
                              AlignedVector<float>(V),
                              std::vector<double>(layer.shape.neurons * layer.shape.fan_in)});
            if (layers.size() == 1) {
                table.mfb.forward_input(means, row, layers[0].moments());
            } else {
                table.mfb.forward_hidden(means, layers[layers.size() - 2].nu.data(),
                                         layers.back().moments());
            }
        }
        std::vector<float> D{y};
        for (std::size_t l = layers.size(); l-- > 0;) D = backward(table, network[l], row, l, D);
    }

  private:
    /// Fills R; returns the messages to the layer below.
    std::vector<float> backward(const kernels::KernelTable& table, test::PaddedLayer& layer,
                                const kernels::InputRow& row, std::size_t l,
                                const std::vector<float>& D) {
        // h += evidence R / 2: evidence so large that the rounding of h does not show.
        constexpr float kEvidence = 0x1p20f;
        const auto before = layer.h;
        const kernels::LayerSlice slice = layer.slice();
        const kernels::Messages messages{D.data(), l + 1 == layers.size(), kEvidence};
        std::vector<float> below(layer.shape.neurons * layer.shape.fan_in);
        if (l == 0) {
            table.mfb.learn_input(slice, row, layers[0].moments(), messages, nullptr, {});
        } else {
            table.mfb.backward_hidden(slice, layers[l - 1].nu.data(), layers[l].moments(), messages,
                                      below.data());
        }
        for (std::size_t ij = 0; ij < below.size(); ++ij) {
            const std::size_t at =
                ij / layer.shape.fan_in * layer.shape.stride + ij % layer.shape.fan_in;
            layers[l].R[ij] = 2 * (double{layer.h[at]} - double{before[at]}) / kEvidence;
        }
        return below;
    }
};

/// Largest errors of one step, scaled by max(1, |expected|).
struct StepErrors {
    double mu = 0, sigma2 = 0, nu = 0, R = 0;

    static void worse(double& error, double value, double expected) {
        error = std::max(error, std::fabs(value - expected) / std::max(1.0, std::fabs(expected)));
    }
    void add(const core::Layer& exact, const FloatStep::Layer& fast) {
        const auto K = static_cast<double>(exact.K);
        for (std::size_t i = 0; i < exact.V; ++i) {
            worse(mu, fast.S[i] / std::sqrt(K), exact.mu[i]);
            worse(sigma2, fast.T[i] / K, exact.sigma2[i]);
            worse(nu, fast.nu[i], exact.nu[i]);
        }
        for (std::size_t ij = 0; ij < exact.R.size(); ++ij) worse(R, fast.R[ij], exact.R[ij]);
    }
};

struct State {
    const char* name;
    double size;      // of h
    bool certain;     // every |h| is `size`, else uniform in [-size, size]
    bool signs;       // +-1 inputs, else normal ones
    bool surprising;  // the label is what the network does not expect, else random
    StepErrors bound;
    double bound_h;  // of |h_float - h_double| / max(1, |h|) after the step
};

TEST(Accuracy, OneStepStaysCloseToTheCore) {
    // Where h is large, 1 - w^2 cancels, and z = mu / sigma is large: rare draws have much larger errors than most. The
    // bounds of large_h are some three times the largest of eight such runs (docs/accuracy.md).
    const StepErrors usual{1e-6, 1e-6, 1e-6, 1e-6}, large_h{2e-5, 1e-5, 5e-5, 5e-5};
    const State states[] = {{"prior", 0.2, false, false, false, usual, 1e-6},
                            {"prior, +-1", 0.2, false, true, false, usual, 1e-6},
                            {"half sure", 1.5, false, false, false, usual, 2e-6},
                            {"half sure, surprised", 1.5, false, false, true, usual, 2e-6},
                            {"half sure, +-1", 1.5, false, true, false, usual, 2e-6},
                            {"sure", 4, false, false, false, large_h, 5e-6},
                            {"sure, surprised", 4, false, false, true, large_h, 5e-6},
                            {"sure, +-1, surprised", 4, false, true, true, large_h, 5e-6},
                            {"certain, +-1", 12, true, true, false, usual, 1e-6},
                            {"certain, +-1, surprised", 12, true, true, true, usual, 1e-6}};
    const std::vector<std::vector<std::size_t>> shapes = {{21}, {31, 9}, {101, 51}, {9, 5, 5}};
    Random random(11);
    std::printf("%-24s %-6s %8s %8s %8s %8s\n", "state", "layer", "mu", "sigma2", "nu", "R");
    for (const State& state : states) {
        StepErrors first, upper;
        double worst_z = 0, worst_h = 0;
        for (const auto& shape : shapes) {
            for (int n = 0; n < 200; ++n) {
                Pair pair(state.certain ? random.certain_network(shape, 1, state.size)
                                        : random.network(shape, 1, state.size));
                auto x = state.signs ? random.signs(shape[0]) : random.normals(shape[0]);
                for (double& value : x) value = static_cast<float>(value);
                const core::Layer& top = pair.exact.layers().back();
                pair.exact.forward(x);
                const double y = state.surprising ? -std::copysign(1.0, top.mu[0]) : random.sign();
                const FloatStep fast(pair.fast, x, static_cast<float>(y));
                const float z = pair.step(x, y);
                for (std::size_t l = 0; l < shape.size(); ++l) {
                    (l == 0 ? first : upper).add(pair.exact.layers()[l], fast.layers[l]);
                }
                if (!state.certain) {
                    StepErrors::worse(worst_z, z, top.mu[0] / std::sqrt(top.sigma2[0]));
                }
                worst_h = std::max(worst_h, pair.worst_h());
            }
        }
        for (const auto& [layer, errors] : {std::pair{"1", first}, {"2..L", upper}}) {
            std::printf("%-24s %-6s %8.2g %8.2g %8.2g %8.2g\n", state.name, layer, errors.mu,
                        errors.sigma2, errors.nu, errors.R);
            EXPECT_LT(errors.mu, state.bound.mu) << state.name;
            EXPECT_LT(errors.sigma2, state.bound.sigma2) << state.name;
            EXPECT_LT(errors.nu, state.bound.nu) << state.name;
            EXPECT_LT(errors.R, state.bound.R) << state.name;
        }
        std::printf("%-24s h %.2g", state.name, worst_h);
        // A certain network's z is as large as the variance floor lets it be.
        if (state.certain) {
            std::printf("\n");
        } else {
            std::printf("  z %.2g\n", worst_z);
        }
        EXPECT_LT(worst_h, state.bound_h) << state.name;
        EXPECT_LT(worst_z, 2e-5) << state.name;
    }
}

TEST(Accuracy, StepsWithLabelNoiseStayCloseToTheCore) {
    Random random(16);
    for (const double eps : {0.0001, 0.1, 0.4}) {
        double worst = 0, effect = 0;
        for (const auto& shape : std::vector<std::vector<std::size_t>>{{21}, {31, 9}, {9, 5, 5}}) {
            for (int n = 0; n < 200; ++n) {
                auto network = random.network(shape, 1, 3);
                network.label_noise = {eps};
                Pair pair(network);
                auto paper = pair.exact;
                paper.label_noise = {};
                auto x = random.normals(shape[0]);
                for (double& value : x) value = static_cast<float>(value);
                pair.exact.forward(x);
                const double y = -std::copysign(1.0, pair.exact.layers().back().mu[0]);
                pair.step(x, y);
                paper.step(x, {&y, 1});
                worst = std::max(worst, pair.worst_h());
                const auto &noisy_h = pair.exact.layers().back().h, &h = paper.layers().back().h;
                for (std::size_t j = 0; j < h.size(); ++j) {
                    effect = std::max(effect, std::fabs(h[j] - noisy_h[j]));
                }
            }
        }
        std::printf("eps %g: h %.2g, against eps 0 %.2g\n", eps, worst, effect);
        EXPECT_LT(worst, 5e-6) << eps;
        EXPECT_GT(effect, 0.01) << eps;
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
    // A small network takes large steps; the other one takes steps small enough for w to move
    // along.
    const std::pair<double, std::size_t> cases[] = {
        {0x1p10, 33}, {0x1p-10, 33}, {0x1p-30, 33}, {0x1p10, 600}, {0x1p-30, 600}};
    for (const auto& [c, inputs] : cases) {
        Pair a(random.network({inputs, 9}, 1, 1));
        Pair b(a.exact);
        for (int n = 0; n < 50; ++n) {
            auto x = random.normals(inputs);
            const double y = random.sign();
            a.step(x, y);
            for (double& value : x) value *= c;
            b.step(x, y);
        }
        for (std::size_t l = 0; l < a.fast.layers.size(); ++l) {
            ASSERT_EQ(a.fast.layers[l].learned, b.fast.layers[l].learned) << c << ", " << inputs;
            ASSERT_EQ(a.fast.layers[l].carried, b.fast.layers[l].carried) << c << ", " << inputs;
        }
    }
}

TEST(Accuracy, UniformPriorAndZeroInputsMoveNothing) {
    Random random(14);
    Pair uniform(core::Network({33, 9}, 1));
    for (int n = 0; n < 20; ++n) uniform.step(random.normals(33), random.sign());
    for (const auto& layer : uniform.fast.layers) {
        for (const float h : layer.learned) ASSERT_EQ(h, 0);
    }
    Pair silent(random.network({33, 9}, 1, 1));
    const auto before = silent.fast.layers[0].learned;
    silent.step(std::vector<double>(33, 0.0), 1);
    EXPECT_EQ(silent.fast.layers[0].learned, before);
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
