// The pass that learns a sample and computes the next one's forward step, and the neurons that it
// skips.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <utility>

#include <gtest/gtest.h>

#include "base/aligned.hpp"
#include "kernels/table.hpp"

namespace bitbayes::kernels {
namespace {

struct Layer {
    SliceShape shape;
    AlignedVector<float> h, w;
    std::vector<std::uint32_t> smallest_h;

    Layer(std::size_t neurons, std::size_t fan_in, float size, std::mt19937& engine)
        : shape{neurons, fan_in, padded(fan_in)},
          h(neurons * shape.stride),
          w(h.size()),
          smallest_h(neurons, kMovedSince) {
        std::normal_distribution<float> normal;
        for (std::size_t i = 0; i < neurons; ++i) {
            for (std::size_t j = 0; j < fan_in; ++j)
                h[i * shape.stride + j] = size * normal(engine);
        }
        best().weight_means(h.data(), w.data(), h.size());
    }
    LayerSlice slice(bool may_skip = true) {
        return {shape, h.data(), w.data(), may_skip ? smallest_h.data() : nullptr};
    }
    MeansSlice means() const { return {shape, w.data()}; }
};

struct Neurons {
    AlignedVector<float> S, T, nu;
    explicit Neurons(std::size_t n) : S(padded(n)), T(padded(n)), nu(padded(n)) {}
    Moments moments() { return {S.data(), T.data(), nu.data()}; }
};

struct Sample {
    AlignedVector<float> x;
    std::vector<std::uint32_t> index;
    InputRow row;
    Sample(std::size_t fan_in, float size, std::mt19937& engine, bool sparse = false)
        : x(padded(fan_in)) {
        std::normal_distribution<float> normal;
        std::size_t count = 0;
        for (std::uint32_t j = 0; j < fan_in; ++j) {
            if (sparse && engine() % 3 == 0) continue;
            x[count++] = size * normal(engine);
            index.push_back(j);
        }
        row = {x.data(), nullptr, x.size()};
        if (sparse) row = {x.data(), index.data(), count};
        best().measure(row);
    }
};

void expect_fused_is_apart(const TreeRule& rule, const Layer& start, bool sparse, float D_size,
                           std::mt19937& engine) {
    const std::size_t neurons = start.shape.neurons, fan_in = start.shape.fan_in;
    Layer fused = start, apart = start;
    Neurons now(neurons), next_fused(neurons), next_apart(neurons);
    const Sample a(fan_in, 1, engine, sparse), b(fan_in, 1, engine, sparse);
    std::vector<float> D(neurons);
    for (float& d : D) d = std::normal_distribution<float>()(engine) * D_size;
    D[3] = 0;
    D[4] = 1e-12f;
    rule.forward_input(fused.means(), a.row, now.moments());
    const Messages messages{D.data(), false, 1};
    rule.learn_input(fused.slice(), a.row, now.moments(), messages, &b.row, next_fused.moments());
    rule.learn_input(apart.slice(), a.row, now.moments(), messages, nullptr, {});
    rule.forward_input(apart.means(), b.row, next_apart.moments());
    EXPECT_NE(fused.w, start.w);
    EXPECT_EQ(fused.h, apart.h);
    EXPECT_EQ(fused.w, apart.w);
    EXPECT_EQ(next_fused.S, next_apart.S);
    EXPECT_EQ(next_fused.T, next_apart.T);
    EXPECT_EQ(next_fused.nu, next_apart.nu);
}

TEST(Fused, ForwardInTheSamePassGivesTheSameBits) {
    std::mt19937 engine(1);
    for (const std::size_t fan_in : {1, 5, 16, 33, 785}) {
        for (const float size : {0.05f, 0.7f, 5.0f}) {
            for (const bool sparse : {false, true}) {
                if (sparse && fan_in == 1) continue;  // may be a row without entries
                for (const std::size_t neurons : {5, 21, 24}) {
                    Layer layer(neurons, fan_in, size, engine);
                    // Steps small enough for w to move along, and larger ones.
                    expect_fused_is_apart(best().mfb, layer, sparse, 0.01f, engine);
                    expect_fused_is_apart(best().mfb, layer, sparse, 0.3f, engine);
                    layer.w = std::exchange(layer.h, {});  // real weights
                    expect_fused_is_apart(best().backprop, layer, sparse, 0.3f, engine);
                }
            }
        }
    }
}

TEST(Fused, SkippedNeuronsWouldNotHaveMoved) {
    std::mt19937 engine(2);
    std::size_t skipped = 0, moved = 0;
    for (int round = 0; round < 300; ++round) {
        Layer skipping(16, 40, std::exp2(static_cast<float>(engine() % 8)), engine),
            always = skipping;
        if (round % 10 == 0) skipping.h[5] = always.h[5] = 0;
        best().weight_means(skipping.h.data(), skipping.w.data(), skipping.h.size());
        always.w = skipping.w;
        Neurons now(16);
        const Sample a(40, std::exp2(static_cast<float>(engine() % 20) - 10), engine);
        best().mfb.forward_input(skipping.means(), a.row, now.moments());
        std::vector<float> D(16);
        for (float& d : D)
            d = std::exp2(-static_cast<float>(engine() % 60)) * (engine() & 1 ? 1 : -1);
        const Messages messages{D.data(), false, 1};
        const auto before = skipping.h;
        best().mfb.learn_input(skipping.slice(), a.row, now.moments(), messages, nullptr, {});
        best().mfb.learn_input(always.slice(false), a.row, now.moments(), messages, nullptr, {});
        ASSERT_EQ(skipping.h, always.h);
        ASSERT_EQ(skipping.w, always.w);
        for (const std::uint32_t at : skipping.smallest_h) skipped += (at & kMovedSince) == 0;
        moved += skipping.h != before;
    }
    EXPECT_GT(skipped, 500u);
    EXPECT_GT(moved, 100u);
}

/// One neuron with h = 0 but any w, so that h after a step is dh with all its digits.
struct OneNeuron {
    static constexpr std::size_t kFanIn = 200;
    std::mt19937 engine{3};
    Layer layer{1, kFanIn, 1, engine};
    Sample sample{kFanIn, 1, engine};
    float T = 120;  // |G x| is up to 0.2: the forms for small inputs

    /// S for which |d| <= (|S| largest + largest^2 / 2) / T has this bound.
    float S_at(float d) const { return d * T / sample.row.largest - 0.5f * sample.row.largest; }

    AlignedVector<float> dh(float S, float D) const {
        Layer copy = layer;
        std::fill(copy.h.begin(), copy.h.end(), 0.0f);
        Neurons now(1);
        now.S[0] = S;
        now.T[0] = T;
        best().mfb.learn_input(copy.slice(false), sample.row, now.moments(), {&D, false, 1},
                               nullptr, {});
        return copy.h;
    }
    double exact(float S, float D, std::size_t j) const {
        const double c = S - double{layer.w[j]} * sample.x[j];
        const double G = 2 / std::sqrt(2 * M_PI * T) * std::exp(-c * c / (2 * T));
        return 0.5 * D * std::tanh(G * sample.x[j]);
    }
};

/// Relative errors of dh that steps-inl.hpp states; in any form S^2 / (2 T) is rounded as well.
constexpr double kMildError = 1.6e-6, kWideError = 7e-6, kFullError = 1e-6;
double of_exponent(const OneNeuron& neuron, float S) { return 3e-7 * S * S / (2 * neuron.T); }

TEST(Fused, StepsHaveTheStatedErrors) {
    const OneNeuron neuron;
    struct Form {
        float d_low, d_high;
        double bound;
    };
    for (const Form& form : {Form{0.01f, 0.2499f, kMildError},
                             {0.2501f, 1.9999f, kWideError},
                             {2.001f, 2.4f, kFullError}}) {  // exponents of G down to -47
        double worst = 0;
        for (int k = 0; k <= 100; ++k) {
            const float d = form.d_low + (form.d_high - form.d_low) * 0.01f * static_cast<float>(k);
            for (const float S : {neuron.S_at(d), -neuron.S_at(d)}) {
                const float D = 0.02f;
                const auto dh = neuron.dh(S, D);
                for (std::size_t j = 0; j < OneNeuron::kFanIn; ++j) {
                    const double error = std::fabs(dh[j] / neuron.exact(S, D, j) - 1);
                    worst = std::max(worst, error - of_exponent(neuron, S));
                }
            }
        }
        std::printf("|d| <= %g: worst relative error of dh %.2g\n", form.d_high, worst);
        EXPECT_LT(worst, form.bound) << form.d_high;
    }
}

TEST(Fused, StepsOfVerySureNeuronsAreTinyAndNotDenormal) {
    const OneNeuron neuron;
    for (const float d : {2.6f, 3.0f, 5.0f, 40.0f}) {  // exponents of G from -55 down
        for (const float D : {0.02f, 1e-9f}) {
            const auto dh = neuron.dh(neuron.S_at(d), D);
            for (std::size_t j = 0; j < OneNeuron::kFanIn; ++j) {
                const float size = std::fabs(dh[j]);
                EXPECT_LE(size, std::exp(-49.9f) * D);
                EXPECT_TRUE(std::isnormal(size) || std::fabs(neuron.sample.x[j]) < 0.01f) << d;
            }
        }
    }
}

TEST(Fused, MildWideAndFullFormsAgree) {
    // Both sides of the bounds that choose the form: the step must not jump.
    const OneNeuron neuron;
    const std::pair<float, double> meetings[] = {{0.25f, kMildError + kWideError},
                                                 {2.0f, kWideError + kFullError}};
    for (const auto& [d, bound] : meetings) {
        const float S = neuron.S_at(d), D = 0.02f;
        const auto below = neuron.dh(S * 0.9999999f, D), above = neuron.dh(S * 1.0000001f, D);
        EXPECT_NE(below, above);
        for (std::size_t j = 0; j < OneNeuron::kFanIn; ++j) {
            EXPECT_NEAR(above[j] / below[j], 1, bound + 3 * of_exponent(neuron, S));
        }
    }
}

}  // namespace
}  // namespace bitbayes::kernels
