// Between two refreshes w of a dense layer 1 moves along with h: how far it drifts from tanh h, and
// when it is computed instead.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>

#include <gtest/gtest.h>

#include "base/aligned.hpp"
#include "kernels/table.hpp"

namespace bitbayes::kernels {
namespace {

struct Neurons {
    SliceShape shape;
    AlignedVector<float> h, w, S, T, nu;

    Neurons(std::size_t neurons, std::size_t fan_in)
        : shape{neurons, fan_in, padded(fan_in)},
          h(neurons * shape.stride),
          w(h.size()),
          S(padded(neurons)),
          T(S.size()),
          nu(S.size()) {}
    Moments moments() { return {S.data(), T.data(), nu.data()}; }
    void refresh() { best().weight_means(h.data(), w.data(), h.size()); }
    void forward(const InputRow& row) {
        best().mfb.forward_input({shape, w.data()}, row, moments());
    }
    /// With S and T as given.
    void learn(const InputRow& row, const std::vector<float>& D) {
        best().mfb.learn_input({shape, h.data(), w.data(), nullptr}, row, moments(),
                               {D.data(), false, 1}, nullptr, {});
    }
    double drift() const {
        double worst = 0;
        for (std::size_t k = 0; k < h.size(); ++k) {
            worst = std::max(worst, std::fabs(w[k] - std::tanh(double{h[k]})));
        }
        return worst;
    }
    bool in_range() const {
        return std::all_of(w.begin(), w.end(), [](float x) { return std::fabs(x) <= 1; });
    }
    /// Whether w is what weight_means(h) gives, bit for bit.
    bool is_computed() const {
        auto exact = *this;
        exact.refresh();
        return exact.w == w;
    }
};

struct Row {
    AlignedVector<float> x;
    InputRow row;
    explicit Row(std::size_t fan_in) : x(padded(fan_in)) {}
    const InputRow& measured() {
        row = {x.data(), nullptr, x.size()};
        best().measure(row);
        return row;
    }
};

/// One neuron with inputs +-1 whose h is spread from 0 to 12, and a message that makes every step `dh` long (to 1 %).
struct Grid : Neurons {
    // Enough for T to be small compared to their sum of squares.
    static constexpr std::size_t kFanIn = 16384;
    static constexpr float kT = 100;
    static constexpr float kLargestEvidence = 0.0797884561f;  // |G x| <= 2 / sqrt(2 pi T)
    Row input{kFanIn};

    Grid() : Neurons(1, kFanIn) {
        for (std::size_t j = 0; j < kFanIn; ++j) {
            h[j] = 12.0f * static_cast<float>(j) / static_cast<float>(kFanIn);
            input.x[j] = 1;
        }
        input.measured();
        T[0] = kT;
        refresh();
    }
    void step(float dh) { learn(input.row, {2 * dh / kLargestEvidence}); }
};

TEST(Drift, AdversarialStepsStayWithinTheStatedBound) {
    double worst_of_all = 0;
    for (int exponent = -14; exponent <= -7; ++exponent) {
        for (const int way : {-1, 0, 1}) {  // towards 0, back and forth, away from 0
            Grid grid;
            const float dh = 0.9999f * std::ldexp(1.0f, exponent);
            for (std::size_t n = 0; n < kRefreshEvery; ++n) {
                grid.step(way == 0 ? (n % 2 == 0 ? dh : -dh) : static_cast<float>(way) * dh);
                ASSERT_TRUE(grid.in_range());
            }
            std::printf("dh 2^%d, way %2d: drift %.2g\n", exponent, way, grid.drift());
            EXPECT_LE(grid.drift(), kMaxDrift);
            worst_of_all = std::max(worst_of_all, grid.drift());
            grid.refresh();
            EXPECT_LT(grid.drift(), 3e-7);
        }
    }
    EXPECT_GT(worst_of_all, 0.75 * kMaxDrift);  // the bound is not much larger than necessary
}

TEST(Drift, RandomSamplesDriftLittle) {
    std::mt19937 engine(1);
    std::normal_distribution<float> normal;
    constexpr std::size_t kNeurons = 32, kFanIn = 300;
    for (const float size : {0.1f, 1.0f, 3.0f}) {
        Neurons layer(kNeurons, kFanIn);
        for (std::size_t i = 0; i < kNeurons; ++i) {
            for (std::size_t j = 0; j < kFanIn; ++j)
                layer.h[i * layer.shape.stride + j] = size * normal(engine);
        }
        layer.refresh();
        std::vector<float> D(kNeurons);
        for (std::size_t n = 0; n < kRefreshEvery; ++n) {
            Row row(kFanIn);
            for (std::size_t j = 0; j < kFanIn; ++j) row.x[j] = normal(engine);
            for (float& d : D) d = 0.03f * normal(engine);
            layer.forward(row.measured());
            layer.learn(row.row, D);
        }
        std::printf("h of size %g: drift %.2g\n", size, layer.drift());
        EXPECT_LT(layer.drift(), 5e-6);
        EXPECT_FALSE(layer.is_computed());
        EXPECT_TRUE(layer.in_range());
    }
}

TEST(Drift, AMeanOfExactlyOneRecoversAtTheRefresh) {
    Grid grid;
    std::fill_n(grid.h.begin(), Grid::kFanIn, 9.5f);
    grid.refresh();
    ASSERT_EQ(grid.w[0], 1);
    for (int round = 0; round < 5; ++round) {
        for (std::size_t n = 0; n < kRefreshEvery; ++n) grid.step(-0.0078f);
        EXPECT_LE(grid.drift(), kMaxDrift);
        grid.refresh();
    }
    EXPECT_LT(grid.h[0], 0);
    EXPECT_LT(grid.w[0], 0);
}

TEST(Drift, LargeStepsSureNeuronsAndSparseRowsComputeTheMean) {
    const float small = 0x1p-8f, large = 0x1.1p-7f;
    Grid moved;
    moved.step(small);
    EXPECT_FALSE(moved.is_computed());
    moved.step(large);
    EXPECT_TRUE(moved.is_computed());

    // T at and below 2^-10 of the inputs' sum of squares.
    for (const float factor : {1.0f, 0.99f}) {
        Grid grid;
        grid.T[0] = factor * 0x1p-10f * grid.input.row.square_sum;
        grid.learn(grid.input.row, {0.01f});
        EXPECT_EQ(grid.is_computed(), factor < 1);
    }

    Grid sparse;
    std::vector<std::uint32_t> index(Grid::kFanIn);
    for (std::uint32_t j = 0; j < Grid::kFanIn; ++j) index[j] = j;
    sparse.input.row.index = index.data();
    sparse.input.row.count = Grid::kFanIn;
    sparse.step(small);
    EXPECT_TRUE(sparse.is_computed());
}

TEST(Drift, MovedAndComputedMeansAgreeWhereTheyMeet) {
    Grid below, above;
    below.step(0.99999f * 0x1p-7f);
    above.step(1.00001f * 0x1p-7f);
    EXPECT_FALSE(below.is_computed());
    EXPECT_TRUE(above.is_computed());
    for (std::size_t j = 0; j < Grid::kFanIn; ++j) EXPECT_NEAR(below.w[j], above.w[j], 6e-7);
}

}  // namespace
}  // namespace bitbayes::kernels
