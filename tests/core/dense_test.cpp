// What docs/theory.md says of the dense rule, on random networks: dense ones of one to five layers,
// and dense ones with trees on top or in between.
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "random_network.hpp"

namespace bitbayes::core {
namespace {

using test::Random;
using Matrix = std::vector<std::vector<double>>;

const std::vector<std::vector<DenseShape>> kShapes = {
    {{3, 7}},
    {{6, 5}, {2, 7}},
    {{4, 5}, {5, 5}, {4, 6}, {3, 5}, {2, 4}},
    {{6, 5}, {6, 7}, {2, 3, false}},
    {{6, 5}, {3, 2, false}, {4, 4}, {2, 2, false}},
};

Matrix rows_of(Random& random, std::size_t rows, std::size_t columns) {
    Matrix out;
    for (std::size_t n = 0; n < rows; ++n) out.push_back(random.normals(columns));
    return out;
}

Matrix labels_of(Random& random, std::size_t rows, std::size_t columns) {
    Matrix out;
    for (std::size_t n = 0; n < rows; ++n) out.push_back(random.signs(columns));
    return out;
}

Matrix gradient_of(DenseNetwork net, const Matrix& X, const Matrix& Y) {
    for (std::size_t n = 0; n < X.size(); ++n) net.accumulate(X[n], Y[n]);
    Matrix A;
    for (const DenseLayer& layer : net.layers()) A.push_back(layer.A);
    return A;
}

double largest_difference(const Matrix& a, const Matrix& b) {
    double worst = 0;
    for (std::size_t l = 0; l < a.size(); ++l) {
        for (std::size_t ij = 0; ij < a[l].size(); ++ij)
            worst = std::max(worst, std::fabs(a[l][ij] - b[l][ij]));
    }
    return worst;
}

/// ln P of one row by the means w alone; sigma is that of the last forward of `net`.
double log_likelihood(const DenseNetwork& net, const Matrix& w, std::vector<double> nu,
                      const std::vector<double>& y) {
    double sum = 0;
    for (std::size_t l = 0; l < w.size(); ++l) {
        const DenseLayer& layer = net.layers()[l];
        const auto [V, K, dense] = layer.shape;
        std::vector<double> next;
        for (std::size_t i = 0; i < V; ++i) {
            double S = 0;
            for (std::size_t j = 0; j < K; ++j) S += w[l][i * K + j] * nu[dense ? j : i * K + j];
            const double z = S / std::sqrt(static_cast<double>(K) * layer.sigma2[i]);
            next.push_back(std::erf(z / std::numbers::sqrt2));
            if (l + 1 == w.size()) {
                const double eps = net.label_noise.empty() ? 0 : net.label_noise[i];
                sum += std::log(eps + (1 - 2 * eps) * (1 + y[i] * next[i]) / 2);
            }
        }
        next.push_back(1);
        nu = next;
    }
    return sum;
}

TEST(Dense, GradientIsThatOfLogLikelihoodWithSigmaHeldFixed) {
    Random random(1);
    const double step = 1e-5;
    for (const auto& shape : kShapes) {
        DenseNetwork net = random.dense_network(shape, 1);
        for (std::size_t i = 0; i < shape.back().V; ++i) {
            if (shape.size() != 1) net.label_noise.push_back(random.uniform(0, 0.5));
        }
        const auto X = rows_of(random, 3, shape[0].K), Y = labels_of(random, 3, shape.back().V);
        const Matrix A = gradient_of(net, X, Y);
        Matrix w, slope;
        for (const DenseLayer& layer : net.layers()) {
            slope.emplace_back(layer.h.size());
            w.emplace_back();
            for (const double h : layer.h) w.back().push_back(std::tanh(h));
        }
        double largest = 0;
        for (std::size_t n = 0; n < X.size(); ++n) {
            net.forward(X[n]);
            EXPECT_NEAR(net.log_likelihood(Y[n]), log_likelihood(net, w, X[n], Y[n]), 1e-12);
            for (std::size_t l = 0; l < w.size(); ++l) {
                for (std::size_t ij = 0; ij < w[l].size(); ++ij) {
                    Matrix up = w, down = w;
                    up[l][ij] += step;
                    down[l][ij] -= step;
                    slope[l][ij] += (log_likelihood(net, up, X[n], Y[n]) -
                                     log_likelihood(net, down, X[n], Y[n])) /
                                    (2 * step);
                    largest = std::max(largest, std::fabs(slope[l][ij]));
                }
            }
        }
        EXPECT_GT(largest, 0.1);
        EXPECT_LT(largest_difference(A, slope), 1e-8) << shape.size() << " layers";
    }
}

TEST(Dense, GradientOfABatchIsTheSumOverItsRows) {
    Random random(2);
    for (const auto& shape : kShapes) {
        const DenseNetwork net = random.dense_network(shape, 1);
        const auto X = rows_of(random, 4, shape[0].K), Y = labels_of(random, 4, shape.back().V);
        Matrix sum = gradient_of(net, {}, {});
        for (std::size_t n = 0; n < X.size(); ++n) {
            const Matrix one = gradient_of(net, {X[n]}, {Y[n]});
            for (std::size_t l = 0; l < sum.size(); ++l) {
                for (std::size_t ij = 0; ij < sum[l].size(); ++ij) sum[l][ij] += one[l][ij];
            }
        }
        EXPECT_LT(largest_difference(gradient_of(net, X, Y), sum), 1e-15);
    }
}

TEST(Dense, ARowOfWeightThreeIsTheRowThreeTimes) {
    Random random(3);
    for (const auto& shape : kShapes) {
        DenseNetwork net = random.dense_network(shape, 1);
        const auto x = random.normals(shape[0].K), y = random.signs(shape.back().V);
        const Matrix three = gradient_of(net, {x, x, x}, {y, y, y});
        net.accumulate(x, y, 3);
        net.accumulate(random.normals(shape[0].K), y, 0);
        EXPECT_LT(largest_difference(gradient_of(net, {}, {}), three), 1e-14);
    }
}

TEST(Dense, StepIsTanhOfEvidenceTimesGradient) {
    Random random(4);
    for (const auto& shape : kShapes) {
        for (const double evidence : {0.0, 0.5, 2.0, 1e9, -1.0}) {
            const DenseNetwork before = random.dense_network(shape, 1);
            const auto X = rows_of(random, 3, shape[0].K), Y = labels_of(random, 3, shape.back().V);
            DenseNetwork after = before;
            for (int batch = 0; batch < 2; ++batch) {
                const DenseNetwork start = after;
                const Matrix A = gradient_of(start, X, Y);
                for (std::size_t n = 0; n < X.size(); ++n) after.accumulate(X[n], Y[n]);
                after.update(evidence);
                for (std::size_t l = 0; l < A.size(); ++l) {
                    for (std::size_t ij = 0; ij < A[l].size(); ++ij) {
                        ASSERT_EQ(after.layers()[l].h[ij],
                                  start.layers()[l].h[ij] + std::tanh(evidence * A[l][ij]));
                        ASSERT_EQ(after.layers()[l].A[ij], 0);
                    }
                }
            }
        }
    }
}

TEST(Dense, SaturatedNetworksStayFiniteAndMoveByOneAtMost) {
    Random random(5);
    double moved = 0;
    for (const auto& shape : kShapes) {
        for (const double size : {20.0, 400.0}) {
            DenseNetwork net = random.dense_network(shape, 1);
            for (auto& layer : net.layers()) {
                for (double& h : layer.h) h = std::copysign(size, h);
            }
            for (int n = 0; n < 50; ++n) {
                const DenseNetwork before = net;
                net.accumulate(random.signs(shape[0].K), random.signs(shape.back().V));
                net.update(2);
                for (std::size_t l = 0; l < shape.size(); ++l) {
                    const DenseLayer& layer = net.layers()[l];
                    for (const double d : layer.d) ASSERT_TRUE(std::isfinite(d));
                    for (const double e : layer.e) ASSERT_TRUE(std::isfinite(e));
                    for (std::size_t ij = 0; ij < layer.h.size(); ++ij) {
                        const double change = layer.h[ij] - before.layers()[l].h[ij];
                        ASSERT_LE(std::fabs(change), 1 + 1e-12);
                        moved = std::max(moved, std::fabs(change));
                    }
                }
            }
        }
    }
    EXPECT_GT(moved, 0.9);
}

TEST(Dense, AmplitudeOfTheInputDoesNotMatter) {
    Random random(6);
    for (const auto& shape : kShapes) {
        const DenseNetwork net = random.dense_network(shape, 1);
        const auto X = rows_of(random, 3, shape[0].K), Y = labels_of(random, 3, shape.back().V);
        for (const double c : {1000.0, 1 / 1000.0}) {
            Matrix scaled = X;
            for (auto& x : scaled) {
                for (double& value : x) value *= c;
            }
            // eps = 2^-52 is absolute: at c = 1/1000 it is 2e-10 of sigma2.
            EXPECT_LT(largest_difference(gradient_of(net, X, Y), gradient_of(net, scaled, Y)),
                      1e-8);
        }
    }
}

TEST(Dense, ForwardOnATreeIsThePapers) {
    Random random(7);
    Network tree = random.network({5, 3, 2}, 2, 1);
    DenseNetwork net({{12, 5}, {4, 3, false}, {2, 2, false}});
    for (std::size_t l = 0; l < 3; ++l) net.layers()[l].h = tree.layers()[l].h;
    const auto x = random.normals(5);
    tree.forward(x);
    net.forward(x);
    for (std::size_t l = 0; l < 3; ++l) {
        EXPECT_EQ(net.layers()[l].mu, tree.layers()[l].mu);
        EXPECT_EQ(net.layers()[l].sigma2, tree.layers()[l].sigma2);
    }
    EXPECT_EQ(net.clipped_output(x), tree.clipped_output(x));
}

TEST(Dense, UniformPriorLearnsTheConstantsOfTheOutputsOnly) {
    Random random(9);
    DenseNetwork net({{4, 5}, {4, 5}, {2, 5}});
    for (int n = 0; n < 20; ++n) {
        net.accumulate(random.normals(5), random.signs(2));
        net.update(1);
    }
    for (std::size_t l = 0; l < 3; ++l) {
        const auto& h = net.layers()[l].h;
        for (std::size_t ij = 0; ij < h.size(); ++ij) {
            const bool constant_of_output = l == 2 && ij % 5 == 4;
            EXPECT_EQ(h[ij] != 0, constant_of_output) << l << " " << ij;
        }
    }
}

TEST(Dense, OnAWideTreeTheStepIsNearlyThePapers) {
    Random random(8);
    Network tree = random.network({301, 101}, 1, 1);
    DenseNetwork net({{101, 301}, {1, 101, false}});
    for (std::size_t l = 0; l < 2; ++l) net.layers()[l].h = tree.layers()[l].h;
    const Network before = tree;
    const auto x = random.signs(301), y = random.signs(1);
    tree.step(x, y);
    net.accumulate(x, y);
    net.update(1);
    for (std::size_t l = 0; l < 2; ++l) {
        double off = 0, moved = 0;
        for (std::size_t ij = 0; ij < tree.layers()[l].h.size(); ++ij) {
            const double h = tree.layers()[l].h[ij];
            off += std::pow(net.layers()[l].h[ij] - h, 2);
            moved += std::pow(before.layers()[l].h[ij] - h, 2);
        }
        EXPECT_LT(std::sqrt(off / moved), 0.1) << "layer " << l + 1;
    }
}

TEST(Dense, TheConstantIsTheLastInputAndClippedTiesArePositive) {
    DenseNetwork net({{2, 1}, {3, 3}});
    net.layers()[0].h = {1, -1};  // v = (+1, -1) for x = 1
    net.layers()[1].h = {1, 1, 1, 1, 1, -1, 0, 0, 0};
    EXPECT_EQ(net.clipped_output(std::vector{1.0}), (std::vector<double>{1, -1, 1}));
    EXPECT_EQ(net.clipped_output(std::vector{0.0}), (std::vector<double>{1, 1, 1}));
    net.layers()[1].h = {0, 0, 2, 0, 0, -2, 0, 0, 0};
    net.forward(std::vector{1.0});
    const double root_K = std::sqrt(3.0);
    EXPECT_DOUBLE_EQ(net.layers()[1].mu[0], std::tanh(2) / root_K);
    EXPECT_DOUBLE_EQ(net.layers()[1].mu[1], -std::tanh(2) / root_K);
    EXPECT_EQ(net.layers()[1].mu[2], 0);
}

}  // namespace
}  // namespace bitbayes::core
