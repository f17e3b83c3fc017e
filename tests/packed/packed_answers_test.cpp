#include "packed/packed_answers.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "../data/tables.hpp"
#include "bitbayes/types/error.hpp"

namespace bitbayes::packed {
namespace {

/// One column, two classes, score = column: class 1 iff it is 0 or more, margin its size.
packed::Network identity() {
    packed::Network network;
    network.quantiser.missing = {0};
    network.column = {0};
    packed::Layer layer(1, 1, true);
    layer.set_positive(0, 0);
    layer.threshold = {0};
    network.members = {{layer}};
    network.class_names = {"no", "yes"};
    return network;
}

Dataset labelled(std::vector<double> values, std::vector<std::uint32_t> labels) {
    Dataset data = test::table(1, std::move(values));
    data.labels = std::move(labels);
    data.class_names = {"no", "yes"};
    return data;
}

TEST(PackedEvaluation, CountsErrorsAndAbstentions) {
    packed::Network network = identity();
    const Dataset data = labelled({5, -4, 3, -2, 1, 0}, {1, 0, 0, 0, 0, 1});
    ThreadTeam team(2);
    PackedEvaluation all = evaluate(Engine(network), data, team);
    EXPECT_EQ(all.rows, 6u);
    EXPECT_DOUBLE_EQ(all.error_map, 2.0 / 6);
    EXPECT_EQ(all.abstained, 0);
    EXPECT_EQ(all.error_accepted, all.error_map);
    EXPECT_EQ(all.confusion.dense(), (std::vector<std::vector<std::uint64_t>>{{2, 2}, {0, 2}}));
    EXPECT_EQ(all.per_class[0].precision, 1);
    EXPECT_EQ(all.per_class[0].recall, 0.5);
    EXPECT_EQ(all.per_class[1].precision, 0.5);
    EXPECT_TRUE(std::isnan(all.macro.auc));
    network.abstain_below = 2;
    all = evaluate(Engine(network), data, team);
    EXPECT_DOUBLE_EQ(all.error_map, 2.0 / 6);
    EXPECT_DOUBLE_EQ(all.abstained, 2.0 / 6);
    EXPECT_DOUBLE_EQ(all.error_accepted, 1.0 / 4);
    network.abstain_below = 100;
    EXPECT_TRUE(std::isnan(evaluate(Engine(network), data, team).error_accepted));
}

TEST(Abstention, TakesTheLowestMarginThatSuffices) {
    const packed::Network network = identity();
    // Margins 1 .. 6; wrong at 1 and 3.
    const Dataset data = labelled({1, 2, 3, 4, 5, 6}, {0, 1, 0, 1, 1, 1});
    ThreadTeam team(1);
    EXPECT_EQ(choose_abstention(Engine(network), data, 0.5, team).below, 0);
    const AbstainChoice choice = choose_abstention(Engine(network), data, 0.3, team);
    EXPECT_EQ(choice.below, 2);
    EXPECT_DOUBLE_EQ(choice.error_accepted, 0.2);
    EXPECT_DOUBLE_EQ(choice.abstained, 1.0 / 6);
    EXPECT_EQ(choose_abstention(Engine(network), data, 0.2, team).below, 4)
        << "below the rate, not at it";
    EXPECT_EQ(choose_abstention(Engine(network), data, 1e-9, team).error_accepted, 0);
}

TEST(Abstention, SaysWhenNoMarginSuffices) {
    const Dataset data = labelled({1, 2, 3}, {1, 1, 0});
    ThreadTeam team(1);
    EXPECT_THROW(choose_abstention(Engine(identity()), data, 0.1, team), Error);
}

TEST(PackedAnswers, RefuseOtherColumns) {
    ThreadTeam team(1);
    EXPECT_THROW(answers_of(Engine(identity()), test::table(2, {1, 2}), team), Error);
}

TEST(PackedAnswers, BytesGoToTheEngineAsTheyAre) {
    packed::Network network = identity();
    network.quantiser.type = packed::ColumnType::kU8;
    network.members[0][0].threshold = {100};
    Dataset bytes;
    bytes.rows = 3;
    bytes.features = 1;
    bytes.values = std::vector<std::uint8_t>{99, 100, 255};
    ThreadTeam team(1);
    EXPECT_EQ(scores_of(Engine(network), bytes, team), (std::vector<std::int64_t>{-1, 0, 155}));
    network.quantiser.origin = {1};
    network.quantiser.step = {2};
    EXPECT_EQ(scores_of(Engine(network), bytes, team), (std::vector<std::int64_t>{-51, -50, 27}));
}

}  // namespace
}  // namespace bitbayes::packed
