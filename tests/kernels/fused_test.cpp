// The pass that learns a sample and looks at the next one, and the neurons that it leaves out.
#include <cmath>
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
    std::vector<float> least;

    Layer(std::size_t neurons, std::size_t fan_in, float size, std::mt19937& engine)
        : shape{neurons, fan_in, padded(fan_in)},
          h(neurons * shape.stride),
          w(h.size()),
          least(neurons, -1) {
        std::normal_distribution<float> normal;
        for (std::size_t i = 0; i < neurons; ++i) {
            for (std::size_t j = 0; j < fan_in; ++j)
                h[i * shape.stride + j] = size * normal(engine);
        }
        best().weight_means(h.data(), w.data(), h.size());
    }
    LayerSlice slice(bool may_skip = true) {
        return {shape, h.data(), w.data(), may_skip ? least.data() : nullptr};
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

void expect_fused_is_apart(const TreeRule& rule, const Layer& start, bool sparse,
                           std::mt19937& engine) {
    const std::size_t neurons = start.shape.neurons, fan_in = start.shape.fan_in;
    Layer fused = start, apart = start;
    Neurons now(neurons), next_fused(neurons), next_apart(neurons);
    const Sample a(fan_in, 1, engine, sparse), b(fan_in, 1, engine, sparse);
    std::vector<float> D(neurons);
    for (float& d : D) d = std::normal_distribution<float>()(engine) * 0.3f;
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
                    expect_fused_is_apart(best().mfb, layer, sparse, engine);
                    layer.w = std::exchange(layer.h, {});  // real weights
                    expect_fused_is_apart(best().backprop, layer, sparse, engine);
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
        for (const float least : skipping.least) skipped += least >= 0;
        moved += skipping.h != before;
    }
    EXPECT_GT(skipped, 500u);
    EXPECT_GT(moved, 100u);
}

TEST(Fused, MildAndFullFormsAgree) {
    // Both sides of the bound that chooses the form: the step must not jump.
    std::mt19937 engine(3);
    for (const float size : {0.1f, 1.0f}) {
        Layer layer(1, 200, size, engine);
        const Sample a(200, 1, engine);
        Neurons now(1);
        best().mfb.forward_input(layer.means(), a.row, now.moments());
        const float T = now.T[0];
        const float D = 1;
        // S at which the bound of MildGain is met with equality.
        const float S = 0.5f * T / a.row.largest - 0.5f * a.row.largest;
        std::vector<AlignedVector<float>> results;
        for (const float factor : {0.999999f, 1.000001f}) {
            Layer copy = layer;
            now.S[0] = S * factor;
            best().mfb.learn_input(copy.slice(), a.row, now.moments(), {&D, false, 1}, nullptr, {});
            results.push_back(copy.h);
        }
        for (std::size_t j = 0; j < 200; ++j) {
            const float step = results[0][j] - layer.h[j];
            EXPECT_NEAR(results[1][j] - layer.h[j], step, 2e-5f * std::fabs(step) + 3e-7f);
        }
    }
}

}  // namespace
}  // namespace bitbayes::kernels
