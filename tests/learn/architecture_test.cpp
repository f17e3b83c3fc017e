#include "learn/architecture.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "bitbayes/types/error.hpp"
#include "learn/posterior.hpp"

namespace bitbayes::learn {
namespace {

TEST(Architecture, TreeShapes) {
    const auto paper = Architecture::tree(785, {301}, 10);
    EXPECT_EQ(paper.weights(), 785u * 3010 + 3010);
    const auto deep = Architecture::tree(17, {15, 9}, 3);
    ASSERT_EQ(deep.depth(), 3u);
    EXPECT_EQ(deep.layers[0], (LayerShape{3 * 9 * 15, 17, Connectivity::kDense}));
    EXPECT_EQ(deep.layers[1], (LayerShape{3 * 9, 15, Connectivity::kTree}));
    EXPECT_EQ(deep.layers[2], (LayerShape{3, 9, Connectivity::kTree}));
    EXPECT_EQ(Architecture::tree(5, {}, 2).depth(), 1u);
    EXPECT_THROW(Architecture::tree(5, {0}, 2), Error);
    EXPECT_THROW(Architecture::tree(785, {1u << 20, 1u << 20}, 10), Error);
}

TEST(Architecture, DenseShapes) {
    const auto deep = Architecture::dense(785, {512, 256}, {}, 10);
    ASSERT_EQ(deep.depth(), 3u);
    EXPECT_EQ(deep.layers[0], (LayerShape{512, 785, Connectivity::kDense}));
    EXPECT_EQ(deep.layers[1], (LayerShape{256, 513, Connectivity::kDense}));
    EXPECT_EQ(deep.layers[2], (LayerShape{10, 257, Connectivity::kDense}));
    EXPECT_EQ(deep.shared_layers(), 2u);
    const auto mixed = Architecture::dense(785, {512}, {7, 3}, 10);
    ASSERT_EQ(mixed.depth(), 4u);
    EXPECT_EQ(mixed.layers[1], (LayerShape{210, 513, Connectivity::kDense}));
    EXPECT_EQ(mixed.layers[2], (LayerShape{30, 7, Connectivity::kTree}));
    EXPECT_EQ(mixed.layers[3], (LayerShape{10, 3, Connectivity::kTree}));
    EXPECT_EQ(mixed.shared_layers(), 1u);
    for (const auto& shape : {deep, mixed}) {
        EXPECT_TRUE(shape.is_whole());
        EXPECT_FALSE(shape.is_tree());
    }
    const auto tree = Architecture::tree(5, {3}, 2);
    EXPECT_EQ(Architecture::dense(5, {}, {3}, 2), tree);
    EXPECT_TRUE(tree.is_whole());
    EXPECT_EQ(tree.shared_layers(), 0u);
    EXPECT_EQ(Architecture::tree(5, {}, 2).shared_layers(), 0u);
    EXPECT_THROW(Architecture::dense(5, {0}, {}, 2), Error);
    EXPECT_THROW(Architecture::dense(785, {1u << 24, 1u << 24}, {}, 10), Error);
}

TEST(Architecture, LayersThatDoNotFitAreNotWhole) {
    const auto good = Architecture::dense(6, {4, 3}, {2}, 5);
    for (const std::size_t l : {0u, 1u, 2u, 3u}) {
        auto bad = good;
        ++bad.layers[l].fan_in;
        EXPECT_FALSE(bad.is_whole()) << l;
        bad = good;
        bad.layers[l].neurons = 0;
        EXPECT_FALSE(bad.is_whole()) << l;
        bad = good;
        auto& connectivity = bad.layers[l].connectivity;
        connectivity = l < 3 ? Connectivity::kTree : Connectivity::kDense;
        EXPECT_FALSE(bad.is_whole()) << l;
    }
    auto bad = good;
    bad.layers.push_back({4, 6, Connectivity::kDense});  // on a layer of trees
    EXPECT_FALSE(bad.is_whole());
    EXPECT_FALSE(Architecture{}.is_whole());
}

TEST(Posterior, DenseNetworksHaveTheirRuleAndAWidePrior) {
    for (const auto algorithm : {Algorithm::kMfb, Algorithm::kBackprop}) {
        Posterior dense(Architecture::dense(785, {64}, {}, 2), algorithm);
        EXPECT_EQ(dense.rule.name, "dense");
        EXPECT_EQ(dense.rule.algorithm, algorithm);
        dense.draw_prior(1, 1);
        double square = 0;
        for (const float h : dense.layers[0].row(5)) square += h * h;
        EXPECT_NEAR(square, algorithm == Algorithm::kMfb ? 785 / 3.0 : 1, 0.12 * square);
    }
}

TEST(Posterior, PriorHasThePapersWidthAndDependsOnTheSeed) {
    const auto shape = Architecture::tree(785, {301}, 2);
    Posterior a(shape), b(shape);
    a.draw_prior(1, 1);
    b.draw_prior(2, 1);
    EXPECT_NE(a.layers[0].learned, b.layers[0].learned);
    double square = 0, largest = 0;
    for (const float h : a.layers[0].row(5)) {
        square += h * h;
        largest = std::max<double>(largest, std::fabs(h));
    }
    EXPECT_NEAR(square, 1, 0.1);  // sum over K of variance 1/K
    EXPECT_LE(largest, std::sqrt(3.0 / 785));
    Posterior deep(Architecture::tree(785, {15, 9}, 2));
    deep.draw_prior(1, 1);
    square = 0;
    for (const float h : deep.layers[0].row(5)) square += h * h;
    EXPECT_NEAR(square / 785, 1 / 3.0, 0.04);
}

TEST(Architecture, TreesAreAskedFor) {
    Architecture shape = Architecture::tree(17, {15, 9}, 3);
    EXPECT_TRUE(shape.is_tree());
    EXPECT_EQ(shape.neurons_per_tree(0), 9u * 15);
    EXPECT_EQ(shape.neurons_per_tree(1), 9u);
    EXPECT_EQ(shape.neurons_per_tree(2), 1u);
    EXPECT_EQ(3 * shape.weights_per_tree(), shape.weights());
    shape.layers[1].connectivity = Connectivity::kDense;
    EXPECT_FALSE(shape.is_tree());
    shape = Architecture::tree(17, {15, 9}, 3);
    shape.layers[2].fan_in = 8;
    EXPECT_FALSE(shape.is_tree());
    EXPECT_FALSE(Architecture{}.is_tree());
}

}  // namespace
}  // namespace bitbayes::learn
