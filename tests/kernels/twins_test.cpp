// Every SIMD level computes the same bits as the plain loops: any fan-in, any number of neurons, dense and sparse rows,
// hidden and output layers, mild, saturated and surprised states, MFB-BackProp and BackProp.
#include <cstring>
#include <random>

#include <gtest/gtest.h>

#include "base/aligned.hpp"
#include "kernels/table.hpp"

namespace bitbayes::kernels {
namespace {

struct Shape {
    std::size_t neurons, fan_in;
};

/// All that one table computes in a few steps.
struct Result {
    AlignedVector<float> h, w, S, T, nu, D_below;
    std::vector<std::uint32_t> smallest_h;
    bool operator==(const Result& other) const {
        const auto same = [](const auto& a, const auto& b) {
            return a.size() == b.size() &&
                   std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
        };
        return same(h, other.h) && same(w, other.w) && same(S, other.S) && same(T, other.T) &&
               same(nu, other.nu) && same(D_below, other.D_below);
    }
};

struct Variant {
    bool backprop, input, sparse, output;
    float h_size;  // standard deviation of h, or of the weights of BackProp
    float rate;
    float eps = 0;  // label noise
};

const TreeRule& rule_of(const KernelTable& table, bool backprop) {
    return backprop ? table.backprop : table.mfb;
}

Result run(const KernelTable& table, const Shape& shape, const Variant& variant, unsigned seed) {
    std::mt19937 engine(seed);
    std::normal_distribution<float> normal;
    const std::size_t stride = padded(shape.fan_in);
    Result r;
    r.h.resize(shape.neurons * stride);
    r.w.resize(r.h.size());
    for (auto* values : {&r.S, &r.T, &r.nu}) values->resize(padded(shape.neurons));
    r.D_below.resize(shape.neurons * shape.fan_in);
    for (std::size_t i = 0; i < shape.neurons; ++i) {
        for (std::size_t j = 0; j < shape.fan_in; ++j)
            r.h[i * stride + j] = variant.h_size * normal(engine);
    }
    table.weight_means(r.h.data(), r.w.data(), r.h.size());
    if (variant.backprop) r.w = r.h;
    const TreeRule& rule = rule_of(table, variant.backprop);
    AlignedVector<float> D(padded(shape.neurons)), below(shape.neurons * shape.fan_in), x(stride);
    const SliceShape slice_shape{shape.neurons, shape.fan_in, stride};
    const MeansSlice means{slice_shape, r.w.data()};
    r.smallest_h.assign(shape.neurons, kMovedSince);
    LayerSlice layer{slice_shape, r.h.data(), r.w.data(), r.smallest_h.data()};
    if (variant.backprop) {
        layer.h = nullptr;
        layer.smallest_h = nullptr;
    }
    const Moments moments{r.S.data(), r.T.data(), r.nu.data()};
    for (int step = 0; step < 3; ++step) {
        for (std::size_t i = 0; i < shape.neurons; ++i) {
            D[i] = variant.output ? (engine() & 1 ? 1.0f : -1.0f) : std::tanh(normal(engine));
        }
        const Messages messages{D.data(), variant.output, variant.rate, variant.eps};
        if (variant.input) {
            std::vector<std::uint32_t> index;
            std::size_t count = 0;
            std::fill(x.begin(), x.end(), 0.0f);
            for (std::uint32_t j = 0; j < shape.fan_in; ++j) {
                if (variant.sparse && engine() % 3 != 0) continue;
                x[count++] = step == 2 ? 0.0f : normal(engine);
                index.push_back(j);
            }
            if (!variant.sparse) count = stride;
            InputRow row{x.data(), variant.sparse ? index.data() : nullptr, count};
            table.measure(row);
            rule.forward_input(means, row, moments);
            // The next sample is this one again: forward in the same pass.
            rule.learn_input(layer, row, moments, messages, step == 1 ? &row : nullptr, moments);
        } else {
            for (float& nu : below)
                nu = step == 2 ? (engine() & 1 ? 1.0f : -1.0f) : std::tanh(normal(engine));
            rule.forward_hidden(means, below.data(), moments);
            rule.backward_hidden(layer, below.data(), moments, messages, r.D_below.data());
        }
    }
    return r;
}

void expect_same_bits(const Shape& shape, const Variant& variant, unsigned seed) {
    const Result plain = run(scalar(), shape, variant, seed);
    for (const auto* values : {&plain.h, &plain.w, &plain.nu, &plain.D_below}) {
        for (const float value : *values) ASSERT_TRUE(std::isfinite(value));
    }
    for (const KernelTable* level : simd_levels()) {
        ASSERT_TRUE(run(*level, shape, variant, seed) == plain)
            << level->name << (variant.backprop ? " backprop" : " mfb") << " K=" << shape.fan_in
            << " V=" << shape.neurons << " input=" << variant.input << " sparse=" << variant.sparse
            << " output=" << variant.output << " eps=" << variant.eps;
    }
}

TEST(Twins, SimdLevelsAndPlainLoopsGiveTheSameBits) {
    if (simd_levels().empty()) GTEST_SKIP() << "no SIMD level with FMA runs on this machine";
    const Shape shapes[] = {{1, 1},  {3, 2},   {5, 7},   {16, 15}, {17, 16},
                            {4, 17}, {33, 31}, {7, 101}, {2, 785}};
    unsigned seed = 0;
    for (const Shape& shape : shapes) {
        for (const bool output : {false, true}) {
            for (const float size : {0.05f, 1.0f, 20.0f}) {
                for (const float rate : {0.03f, 1.0f, 10.0f}) {
                    for (const bool backprop : {false, true}) {
                        expect_same_bits(shape, {backprop, true, false, output, size, rate},
                                         ++seed);
                        expect_same_bits(shape, {backprop, true, true, output, size, rate}, ++seed);
                        expect_same_bits(shape, {backprop, false, false, output, size, rate},
                                         ++seed);
                    }
                }
            }
        }
    }
}

TEST(Twins, LabelNoiseGivesTheSameBitsAndIsForOutputsOnly) {
    if (simd_levels().empty()) GTEST_SKIP() << "no SIMD level with FMA runs on this machine";
    unsigned seed = 1000;
    for (const Shape& shape : {Shape{1, 1}, {5, 7}, {17, 16}, {4, 17}, {2, 785}}) {
        for (const float size : {0.05f, 1.0f, 20.0f}) {
            for (const float eps : {1e-30f, 1e-4f, 0.1f, 0.45f}) {
                for (const bool input : {false, true}) {
                    for (const bool sparse : {false, true}) {
                        const Variant noisy{false, input, input && sparse, true, size, 1, eps};
                        expect_same_bits(shape, noisy, ++seed);
                        Variant hidden = noisy, plain = noisy;
                        hidden.output = plain.output = false;
                        plain.eps = 0;
                        ASSERT_TRUE(run(best(), shape, hidden, seed) ==
                                    run(best(), shape, plain, seed));
                    }
                }
            }
        }
    }
}

TEST(Twins, SparseRowsMoveOnlyTheirOwnColumnsAsDenseOnesDo) {
    std::mt19937 engine(5);
    std::normal_distribution<float> normal;
    const std::size_t K = 50, stride = padded(K);
    AlignedVector<float> h(stride), w(stride), x(stride), S(16), T(16), nu(16);
    for (std::size_t j = 0; j < K; ++j) h[j] = normal(engine);
    std::vector<std::uint32_t> index;
    std::vector<float> value;
    for (std::uint32_t j = 0; j < K; j += 7) {
        x[j] = normal(engine);
        index.push_back(j);
        value.push_back(x[j]);
    }
    const auto step = [&](AlignedVector<float> learned, InputRow row, bool backprop) {
        best().measure(row);
        best().weight_means(learned.data(), w.data(), stride);
        const TreeRule& rule = rule_of(best(), backprop);
        const SliceShape shape{1, K, stride};
        const Moments moments{S.data(), T.data(), nu.data()};
        const float D = 0.7f;
        float* weights = backprop ? learned.data() : w.data();
        rule.forward_input({shape, weights}, row, moments);
        rule.learn_input({shape, backprop ? nullptr : learned.data(), weights, nullptr}, row,
                         moments, {&D, false, 1}, nullptr, moments);
        return learned;
    };
    for (const bool backprop : {false, true}) {
        const auto dense = step(h, {x.data(), nullptr, stride}, backprop);
        const auto sparse = step(h, {value.data(), index.data(), value.size()}, backprop);
        EXPECT_NE(sparse, h);
        for (std::size_t j = 0; j < K; ++j) {
            EXPECT_NEAR(dense[j], sparse[j], 1e-6);
            if (j % 7 != 0) {
                EXPECT_EQ(sparse[j], h[j]);
            }
        }
    }
}

}  // namespace
}  // namespace bitbayes::kernels
