#include "packed/packed_answers.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "../data/tables.hpp"
#include "bitbayes/types/error.hpp"
#include "packed/runner.hpp"

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

TEST(PackedEvaluation, DoesNotKnowRowsFarBeyondTraining) {
    packed::Network network = identity();
    network.quantiser.low = {-10};
    network.quantiser.high = {10};
    const Dataset data = labelled({5, -11, 3, 70000, NAN}, {1, 0, 0, 0, 1});
    ThreadTeam team(2);
    const PackedEvaluation all = evaluate(Engine(network), data, team);
    EXPECT_EQ(all.outside, 2u);
    EXPECT_DOUBLE_EQ(all.abstained, 2.0 / 5);
    EXPECT_DOUBLE_EQ(all.error_map, 2.0 / 5) << "as ever";
    EXPECT_DOUBLE_EQ(all.error_accepted, 1.0 / 3);
    EXPECT_EQ(rows_outside(network, data), 2u);
    const auto answers = answers_of(Engine(network), data, team);
    for (std::size_t r = 0; r < 5; ++r) {
        EXPECT_EQ(map_answer(answers[r]).known, r != 1 && r != 3) << r;
    }
    EXPECT_EQ(answers[3].margin, 32767);
    const Runner runner(network);
    EXPECT_TRUE(runner.answer(std::vector<double>{11}).outside);
    EXPECT_FALSE(runner.answer(std::vector<double>{10}).outside);
}

TEST(PackedEvaluation, BytesMayBeFarBeyondTrainingToo) {
    packed::Network network = identity();
    network.quantiser.type = packed::ColumnType::kU8;
    network.quantiser.low = {-10};
    network.quantiser.high = {20};
    Dataset bytes;
    bytes.rows = 3;
    bytes.features = 1;
    bytes.values = std::vector<std::uint8_t>{20, 21, 255};
    EXPECT_EQ(rows_outside(network, bytes), 2u);
    network.quantiser.high = {255};
    EXPECT_EQ(rows_outside(network, bytes), 0u);
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

TEST(Abstention, LeavesOutRowsFarBeyondTraining) {
    packed::Network network = identity();
    network.quantiser.low = {-10};
    network.quantiser.high = {10};
    const Dataset data = labelled({1, 2, 50, 60}, {1, 1, 0, 0});
    ThreadTeam team(1);
    const AbstainChoice choice = choose_abstention(Engine(network), data, 0.1, team);
    EXPECT_EQ(choice.below, 0);
    EXPECT_EQ(choice.abstained, 0.5);
    EXPECT_EQ(choice.error_accepted, 0);
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
