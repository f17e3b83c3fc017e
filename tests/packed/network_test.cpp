// The definition itself, on numbers that can be checked by hand.
#include "packed/network.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace bitbayes::packed {
namespace {

Layer layer_of(const std::vector<std::vector<int>>& weights, bool reads_all,
               std::vector<std::int64_t> thresholds = {}) {
    Layer layer(weights.size(), weights[0].size(), reads_all);
    for (std::size_t i = 0; i < weights.size(); ++i) {
        for (std::size_t j = 0; j < weights[i].size(); ++j) {
            if (weights[i][j] > 0) layer.set_positive(i, j);
        }
    }
    layer.threshold = std::move(thresholds);
    return layer;
}

Network network_of(std::size_t columns, ColumnType type, std::vector<Layer> layers) {
    Network network;
    network.quantiser.type = type;
    network.quantiser.missing.assign(columns, 0);
    for (std::uint32_t j = 0; j < columns; ++j) network.column.push_back(j);
    network.members.push_back(std::move(layers));
    return network;
}

TEST(Network, OneLayerScoresAreSumsLessThresholds) {
    const auto network =
        network_of(3, ColumnType::kI16, {layer_of({{1, -1, 1}, {-1, -1, -1}}, true, {5, -7})});
    EXPECT_EQ(network.scores(std::vector<std::int16_t>{10, 20, 30}),
              (std::vector<std::int64_t>{10 - 20 + 30 - 5, -60 + 7}));
}

TEST(Network, ASumOnTheThresholdIsPositive) {
    const auto network =
        network_of(2, ColumnType::kI16,
                   {layer_of({{1, 1}, {1, -1}}, true, {3, 3}), layer_of({{1, -1}}, false)});
    EXPECT_EQ(network.scores(std::vector<std::int16_t>{1, 2})[0], 2);    // sums 3, -1: +1, -1
    EXPECT_EQ(network.scores(std::vector<std::int16_t>{3, 0})[0], 0);    // sums 3, 3: +1, +1
    EXPECT_EQ(network.scores(std::vector<std::int16_t>{1, -2})[0], -2);  // sums -1, 3: -1, +1
}

TEST(Network, TreesReadTheirOwnNeuronsAndZeroIsPositive) {
    // Hidden neurons copy the signs of four columns; the two of each tree cancel or agree.
    const auto network = network_of(
        4, ColumnType::kSign,
        {layer_of({{1, 1, 1, 1}, {1, 1, 1, 1}, {1, 1, 1, 1}, {1, 1, 1, 1}}, true, {4, 4, -4, 5}),
         layer_of({{1, 1}, {1, -1}}, false), layer_of({{1, 1}}, false)});
    // sums 4: hidden +1, +1, +1, -1; layer 2: 2 and 2; output 2
    EXPECT_EQ(network.scores(std::vector<std::int16_t>{1, 1, 1, 1})[0], 2);
    // sums 2: hidden -1, -1, +1, -1; layer 2: -2 and 2; output 0
    EXPECT_EQ(network.scores(std::vector<std::int16_t>{-1, 1, 1, 1})[0], 0);
}

TEST(Network, DenseLayersReadAllNeuronsAndTheirConstant) {
    // Constants of weight -1, +1 and -1: thresholds 1, -1 and 1.
    const auto network =
        network_of(2, ColumnType::kI16,
                   {layer_of({{1, 1}, {1, -1}}, true, {0, 0}),
                    layer_of({{1, 1}, {1, -1}}, true, {1, -1}), layer_of({{1, 1}}, true, {1})});
    // hidden +1, +1; layer 2: 2 - 1 and 0 + 1, both +1; output 2 - 1
    EXPECT_EQ(network.scores(std::vector<std::int16_t>{5, 0})[0], 1);
    // hidden +1, -1; layer 2: 0 - 1 and 2 + 1, -1 and +1; output 0 - 1
    EXPECT_EQ(network.scores(std::vector<std::int16_t>{0, 5})[0], -1);
    // hidden -1, +1; layer 2: 0 - 1 and -2 + 1, both -1; output -2 - 1
    EXPECT_EQ(network.scores(std::vector<std::int16_t>{0, -5})[0], -3);
}

TEST(Network, ComparatorsAndColumnsLeftOut) {
    auto network = network_of(3, ColumnType::kU8, {layer_of({{1, 1, -1}}, true, {0})});
    network.column = {0, 2, 2};
    network.comparator = {9, 100, 200};
    const auto inputs = [&](std::int16_t a, std::int16_t b, std::int16_t c) {
        return network.inputs_of(std::vector<std::int16_t>{a, b, c});
    };
    EXPECT_EQ(inputs(9, 7, 101), (std::vector<std::int16_t>{-1, 1, -1}));
    EXPECT_EQ(inputs(10, 9, 201), (std::vector<std::int16_t>{1, 1, 1}));
    EXPECT_EQ(network.scores(std::vector<std::int16_t>{10, 0, 101})[0], 3);
}

TEST(Network, SumsBeyondInt32AreExact) {
    constexpr std::size_t kWide = 70000;
    auto network = network_of(kWide, ColumnType::kI16, {Layer(1, kWide, true)});
    network.members[0][0].threshold = {5};
    EXPECT_EQ(network.scores(std::vector<std::int16_t>(kWide, -32768))[0], 32768ll * kWide - 5);
    EXPECT_EQ(network.largest_sum(), 32768ll * kWide + 5);
}

TEST(Network, Answers) {
    const auto answer = [](std::vector<std::int64_t> scores) { return Network::answer(scores); };
    EXPECT_EQ(answer({-3, 4, 4, 1}).class_index, 1u) << "the lowest index on a tie";
    EXPECT_EQ(answer({-3, 4, 4, 1}).margin, 0);
    EXPECT_FALSE(answer({-3, 4, 4, 1}).legal);
    EXPECT_TRUE(answer({-3, 0, -1}).legal);
    EXPECT_EQ(answer({-3, 0, -1}).margin, 1);
    EXPECT_EQ(answer({9, 2}).margin, 7);
    EXPECT_FALSE(answer({-3, -4}).legal);
    EXPECT_EQ(answer({0}).class_index, 1u);
    EXPECT_EQ(answer({-6}).class_index, 0u);
    EXPECT_EQ(answer({-6}).margin, 6);
    EXPECT_TRUE(answer({-6}).legal);
}

TEST(Network, ACommitteeCountsVotes) {
    // Three one-layer members that read one column; each scores three classes differently.
    const auto member = [](std::int64_t a, std::int64_t b, std::int64_t c) {
        return std::vector<Layer>{layer_of({{1}, {1}, {1}}, true, {a, b, c})};
    };
    auto network = network_of(1, ColumnType::kI16, member(1, 0, 2));
    network.members.push_back(member(0, 0, 5));  // a tie: class 0
    network.members.push_back(member(3, 2, 9));
    const auto scores = network.scores(std::vector<std::int16_t>{7});
    EXPECT_EQ(scores, (std::vector<std::int64_t>{-1, 1, -3}));
    EXPECT_EQ(Network::answer(scores).class_index, 1u);
    EXPECT_TRUE(Network::answer(scores).legal) << "more than half of the votes";
    network.members.pop_back();
    EXPECT_FALSE(Network::answer(network.scores(std::vector<std::int16_t>{7})).legal) << "1 : 1";
}

TEST(Network, ACommitteeOfTwoClasses) {
    auto network = network_of(1, ColumnType::kI16, {layer_of({{1}}, true, {0})});
    network.members.push_back({layer_of({{-1}}, true, {0})});
    network.members.push_back({layer_of({{1}}, true, {10})});
    EXPECT_EQ(network.scores(std::vector<std::int16_t>{5})[0], -1);
    EXPECT_EQ(network.scores(std::vector<std::int16_t>{20})[0], 1);
    EXPECT_EQ(network.scores(std::vector<std::int16_t>{0})[0], 1) << "a sum of 0 votes for class 1";
    EXPECT_EQ(network.weights(), 3u);
}

TEST(Network, ACommitteeAddsScores) {
    // Two members that read one column, x = 7; members alone answer classes 1 and 2.
    const auto member = [](std::int64_t a, std::int64_t b, std::int64_t c) {
        return std::vector<Layer>{layer_of({{1}, {1}, {1}}, true, {a, b, c})};
    };
    auto network = network_of(1, ColumnType::kI16, member(20, 1, 4));
    network.members.push_back(member(20, 30, 5));
    network.adds_scores = true;
    const auto scores = network.scores(std::vector<std::int16_t>{7});
    EXPECT_EQ(scores, (std::vector<std::int64_t>{-26, 6 - 23, 3 + 2}));
    EXPECT_EQ(Network::answer(scores).class_index, 2u);
    EXPECT_EQ(Network::answer(scores).margin, 22);
    EXPECT_TRUE(Network::answer(scores).legal) << "one sum is 0 or more";
    EXPECT_FALSE(Network::answer(network.scores(std::vector<std::int16_t>{4})).legal) << "none is";
}

TEST(Network, ACommitteeOfTwoClassesAddsScores) {
    auto network = network_of(1, ColumnType::kI16, {layer_of({{1}}, true, {0})});
    network.members.push_back({layer_of({{1}}, true, {-3})});
    network.members.push_back({layer_of({{-1}}, true, {10})});
    network.adds_scores = true;
    EXPECT_EQ(network.scores(std::vector<std::int16_t>{5})[0], 5 + 8 - 15);
    EXPECT_EQ(network.scores(std::vector<std::int16_t>{7})[0], 0);
    EXPECT_EQ(Network::answer(network.scores(std::vector<std::int16_t>{7})).class_index, 1u);
}

TEST(Network, TheLargestScore) {
    auto network = network_of(2, ColumnType::kU8, {layer_of({{1, 1}}, true, {-4})});
    EXPECT_EQ(network.largest_score(), 2 * 255 + 4) << "a single layer";
    network.members.push_back(network.members[0]);
    EXPECT_EQ(network.largest_score(), 2) << "votes";
    network.adds_scores = true;
    EXPECT_EQ(network.largest_score(), 2 * (2 * 255 + 4));
    for (auto& layers : network.members) layers.push_back(layer_of({{1}}, false));
    EXPECT_EQ(network.largest_score(), 2) << "a tree of fan-in 1";
    for (auto& layers : network.members) layers.back() = layer_of({{1}}, true, {1});
    EXPECT_EQ(network.largest_score(), 4) << "one neuron and the constant";
}

TEST(Quantiser, RoundsAndSaturates) {
    Quantiser quantiser{ColumnType::kU8, {}, {}, {7, 8}};
    EXPECT_EQ(quantiser(0, 2.5), 3);
    EXPECT_EQ(quantiser(0, 2.4), 2);
    EXPECT_EQ((Quantiser{ColumnType::kI8, {}, {}, {0}}(0, -2.5)), -3) << "halves away from zero";
    EXPECT_EQ(quantiser(0, -1e300), 0);
    EXPECT_EQ(quantiser(0, 1e300), 255);
    EXPECT_EQ(quantiser(1, std::nan("")), 8);
    quantiser.origin = {-1, 0.5};
    quantiser.step = {0.25, 2};
    EXPECT_EQ(quantiser(0, 1), 8);
    EXPECT_EQ(quantiser(1, 3.5), 2);
    quantiser.type = ColumnType::kI8;
    EXPECT_EQ(quantiser(0, -3), -8);
    EXPECT_EQ(quantiser(0, 1e9), 127);
}

TEST(Quantiser, BinaryStepsRoundHalvesUp) {
    const Quantiser quantiser{.type = ColumnType::kI8,
                              .origin = {0, -3, 0x1p20},
                              .step = {0.5, 0.25, 2},
                              .missing = {0, 0, 9},
                              .binary = true};
    EXPECT_EQ(quantiser(0, 0.75), 2);
    EXPECT_EQ(quantiser(0, -0.75), -1);
    EXPECT_EQ(quantiser(0, std::nextafter(0.75, 0)), 1);
    EXPECT_EQ(quantiser(1, -3.125), 0) << "raw -12.5 becomes -12";
    EXPECT_EQ(quantiser(1, -4), -4);
    EXPECT_EQ(quantiser(2, 0x1p20 + 6), 3);
    EXPECT_EQ(quantiser(2, 0), -128);
    EXPECT_EQ(quantiser(2, std::nan("")), 9);
    EXPECT_EQ(quantiser(2, HUGE_VAL), 127);
    EXPECT_TRUE(quantiser.has_raw());
    EXPECT_EQ(quantiser.raw_origin(1), -12);
    EXPECT_EQ(quantiser.raw_origin(2), 1 << 19);
    EXPECT_EQ(quantiser.scale_bits(1), 2);
    EXPECT_EQ(quantiser.scale_bits(2), -1);
}

TEST(Quantiser, TellsValuesFarBeyondThoseOfTraining) {
    Quantiser quantiser{.origin = {0, 8}, .step = {0.5, 1}, .missing = {0, 0}, .binary = true};
    EXPECT_FALSE(quantiser.outside(0, 1e300)) << "no ranges";
    quantiser.low = {-4, INT32_MIN};
    quantiser.high = {10, 20};
    EXPECT_FALSE(quantiser.outside(0, -2));
    EXPECT_FALSE(quantiser.outside(0, -2.25)) << "halves up";
    EXPECT_TRUE(quantiser.outside(0, -2.26));
    EXPECT_FALSE(quantiser.outside(0, 5));
    EXPECT_TRUE(quantiser.outside(0, 5.25));
    EXPECT_FALSE(quantiser.outside(0, std::nan("")));
    EXPECT_FALSE(quantiser.outside(1, -1e300)) << "no limit";
    EXPECT_TRUE(quantiser.outside(1, 21));
    EXPECT_FALSE(quantiser.outside(std::vector<double>{0, std::nan("")}));
    EXPECT_TRUE(quantiser.outside(std::vector<double>{0, 21}));
}

TEST(Quantiser, SignsKnowTwoValues) {
    const Quantiser quantiser{ColumnType::kSign, {}, {}, {-1}};
    EXPECT_EQ(quantiser(0, -1), -1);
    EXPECT_EQ(quantiser(0, 1), 1);
    EXPECT_EQ(quantiser(0, 0), 1) << "sign(0) = +1";
    EXPECT_EQ(quantiser(0, -0.01), -1);
    EXPECT_EQ(quantiser(0, std::nan("")), -1);
}

TEST(ColumnTypes, HaveNames) {
    for (const char* name : {"bit", "sign", "u8", "i8", "i16"}) {
        ColumnType type{};
        ASSERT_TRUE(parse_column_type(name, type));
        EXPECT_STREQ(name_of(type), name);
    }
    ColumnType type{};
    EXPECT_FALSE(parse_column_type("u16", type));
}

}  // namespace
}  // namespace bitbayes::packed
