// Runs of networks with dense hidden layers: what their options become, and batches.
#include <gtest/gtest.h>

#include <algorithm>

#include "bitbayes/bitbayes.hpp"
#include "data/teacher.hpp"
#include "learn/dense_learner.hpp"
#include "learn/live_model.hpp"
#include "training/blobs.hpp"
#include "training/memory.hpp"
#include "training/trainer.hpp"

namespace bitbayes::training {
namespace {

using test::blobs;

TrainOptions dense_options(std::vector<std::size_t> widths = {24, 16}) {
    TrainOptions options;
    options.dense = std::move(widths);
    options.batch = 32;
    options.epochs = 3;
    options.evidence = 0.25;
    options.preprocess = "center";
    return options;
}

TEST(Decided, ChoosesByTheKindOfNetworkAndOfData) {
    const Dataset table = blobs(10, 2, 1), teacher = data::make_teacher(7, 1, 10, 10).train;
    TrainOptions options = decided({}, table);
    EXPECT_EQ(options.tree, TreeLayers{});
    EXPECT_EQ(options.dense, std::vector<std::size_t>{1024});
    EXPECT_EQ(options.evidence, 2);
    EXPECT_EQ(options.batch, 30u);
    EXPECT_EQ(options.epochs, 40u);
    options = decided({.tree = {101}}, table);
    EXPECT_EQ(options.evidence, 1);
    EXPECT_FALSE(options.batch);
    EXPECT_EQ(decided({}, teacher).tree, TreeLayers{7});

    const TrainOptions dense{.dense = {64}};
    options = decided(dense, table);
    EXPECT_EQ(options.tree, TreeLayers{});
    EXPECT_EQ(options.evidence, 0.25);
    EXPECT_EQ(options.batch, 30u);
    EXPECT_EQ(decided({.dense = {512, 128}}, table).evidence, 0.5);
    EXPECT_EQ(decided({.dense = {2048, 600}}, table).evidence, 2);
    EXPECT_EQ(decided({.dense = {4}}, table).evidence, 0.25);
    EXPECT_EQ(decided(dense, teacher).tree, TreeLayers{});

    TrainOptions backprop = dense;
    backprop.algorithm = Algorithm::kBackprop;
    EXPECT_EQ(decided(backprop, table).evidence, 1);
    EXPECT_EQ(decided(backprop, table).batch, 1u);
}

TEST(Decided, KeepsWhatWasAskedForAndIsDecidedOnce) {
    const Dataset table = blobs(10, 2, 1);
    TrainOptions asked{.tree = {5}, .dense = {64}, .epochs = 3};
    asked.evidence = 0.5;
    asked.batch = 7;
    EXPECT_EQ(decided(asked, table), asked);
    asked = {.tree = {}};
    EXPECT_EQ(decided(asked, table).tree, TreeLayers{});
    for (const TrainOptions& each : {TrainOptions{}, TrainOptions{.dense = {64}}, asked}) {
        const TrainOptions once = decided(each, table);
        EXPECT_EQ(decided(once, table), once);
    }
    asked = {.tree = {5}};
    asked.batch = 1;  // as a tree learns anyway: the same run as without it
    EXPECT_FALSE(decided(asked, table).batch);
    asked.batch = 2;
    EXPECT_THROW(decided(asked, table), Error);
}

TEST(DenseRun, LearnsBlobsWithAnyBatch) {
    const Dataset data = blobs(1000, 5, 1), test = blobs(500, 5, 2);
    for (const std::uint64_t batch : {1, 10, 100, 5000}) {
        const bool whole = batch > data.rows;  // one step per epoch
        TrainOptions options = dense_options();
        options.batch = batch;
        options.epochs = whole ? 50 : 10;
        const auto result = train(data, options, &test);
        EXPECT_EQ(result.model.samples_seen(), *options.epochs * data.rows);
        EXPECT_LT(result.history.back().test->error_mean, whole ? 0.15 : 0.03) << batch;
        EXPECT_LT(result.history.back().test->error_map, whole ? 0.3 : 0.1) << batch;
    }
}

/// Where checkpoints fell, and what a run makes of each that goes on from it.
TEST(DenseRun, CheckpointsFallOnBatchEndsAndResumeToTheSameBytes) {
    constexpr std::size_t kEvery = 70;
    const Dataset data = blobs(250, 3, 1);
    const TrainOptions options = dense_options();
    Trainer whole(initial_model(data, options), data, std::nullopt, options);
    struct Saved {
        learn::ModelState model;
        TrainPosition position;
    };
    std::vector<Saved> saved;
    Trainer::Hooks hooks;
    hooks.every = kEvery;
    hooks.checkpoint = [&] { saved.push_back({whole.model().snapshot(), whole.position()}); };
    ASSERT_TRUE(whole.run(hooks));
    const std::string bytes = Model(whole.model().snapshot()).to_bytes();
    EXPECT_EQ(train(data, options).model.to_bytes(), bytes);  // without checkpoints

    std::size_t before = 0;
    for (const auto& [model, position] : saved) {
        const std::size_t total = position.epochs_done * data.rows + position.sample;
        EXPECT_EQ(position.sample % 32, 0u);
        EXPECT_GT(total / kEvery, before / kEvery);
        EXPECT_LT(total - before, kEvery + 2 * 32);
        before = total;
        Trainer again(model, data, std::nullopt, options, position);
        ASSERT_TRUE(again.run({}));
        EXPECT_EQ(Model(again.model().snapshot()).to_bytes(), bytes) << total;
    }
    EXPECT_GE(saved.size(), 9u);
}

TEST(DenseRun, BatchOneIsAnUpdate) {
    const Dataset data = blobs(200, 3, 1);
    TrainOptions options = dense_options();
    options.batch = 1;
    options.shuffle = false;
    options.polish = 0;
    options.epochs = 1;
    Model model = train(data, options).model;
    model.update(data);
    options.epochs = 2;
    EXPECT_EQ(train(data, options).model.to_bytes(), model.to_bytes());
    options.batch = 2;
    EXPECT_NE(train(data, options).model.to_bytes(), model.to_bytes());
}

TEST(DenseRun, DropoutAndSeedDecideTheBytes) {
    const Dataset data = blobs(300, 3, 1);
    TrainOptions options = dense_options();
    const std::string without = train(data, options).model.to_bytes();
    options.dropout = {0.2};
    const std::string inputs = train(data, options).model.to_bytes();
    EXPECT_NE(inputs, without);
    EXPECT_EQ(train(data, options).model.to_bytes(), inputs);
    options.dropout = {0.2, 0.5};
    EXPECT_NE(train(data, options).model.to_bytes(), inputs);
    EXPECT_LT(train(data, options).model.evaluate(blobs(300, 3, 2)).error_mean, 0.1);
    options.dropout = {0, 0};
    EXPECT_EQ(train(data, options).model.to_bytes(), without);
}

TEST(DenseRun, MemoryGrowsWithLayersAndBatch) {
    const Dataset data = blobs(1000, 3, 1);
    const auto bytes = [&](const TrainOptions& asked) {
        const TrainOptions options = decided(asked, data);
        return memory_of_run(data, learn::Architecture::dense(13, options.dense, {}, 3), options);
    };
    const std::uint64_t small = bytes(dense_options({64}));
    EXPECT_GT(bytes(dense_options({64, 1024})), small + 64u * 1024 * 2 * sizeof(float));
    TrainOptions wide = dense_options({64});
    wide.batch = 1000;
    EXPECT_GT(bytes(wide), small + (1000 - 32) * 64u * sizeof(float));
    const std::uint64_t all_rows = bytes(wide);
    wide.batch = 1 << 20;  // a batch never holds more than all rows
    EXPECT_EQ(bytes(wide), all_rows);
}

TEST(Memory, RunsOnACardTakeTurnsWhereItIsTooSmall) {
    constexpr std::uint64_t kMiB = 1 << 20;
    const Dataset data = blobs(1000, 3, 1);
    TrainOptions options = decided(dense_options({1024}), data);
    const auto architecture = learn::Architecture::dense(13, {1024, 1024}, {}, 3);
    EXPECT_EQ(card_memory_of_run(data, architecture, options), 0u);  // on the CPU
    options.backend = "cuda";
    options.polish = 0;
    const std::uint64_t one = card_memory_of_run(data, architecture, options);
    EXPECT_GT(one, architecture.weights() * 2 * sizeof(float));
    EXPECT_LT(one, 256 * kMiB);
    options.memory = 1000;  // the prior too
    EXPECT_GE(card_memory_of_run(data, architecture, options),
              one + architecture.weights() * sizeof(float));
    options.memory.reset();
    const auto together = [&](std::uint64_t free_on_card) {
        return runs_together(data, architecture, options, free_on_card, 8);
    };
    EXPECT_EQ(together(0), 1u);
    EXPECT_EQ(together(3 * one + 1), 3u);
    EXPECT_EQ(together(100 * one), 8u);
    options.max_memory = 2 * memory_of_run(data, architecture, options);
    EXPECT_EQ(together(100 * one), 2u);
    options.polish = 1;  // works on a copy
    EXPECT_EQ(together(3 * one + 1), 1u);
}

TEST(Memory, RunsOnACardCountWholeBatchesAndWideTrees) {
    constexpr std::size_t kRows = 10000;
    const Dataset data = blobs(kRows, 3, 1);
    TrainOptions options = decided(dense_options({64}), data);
    options.backend = "cuda";
    options.polish = 0;
    const auto dense = learn::Architecture::dense(13, {64}, {}, 3);
    options.batch = 100;
    const std::uint64_t small = card_memory_of_run(data, dense, options);
    options.batch = kRows;
    EXPECT_GT(card_memory_of_run(data, dense, options),
              small + 64 * sizeof(float) * (kRows - 2048));
    options.batch.reset();
    const auto tree = [&](std::size_t neurons) {
        return card_memory_of_run(data, learn::Architecture::tree(13, {neurons}, 3), options);
    };
    const std::size_t weights = 2 * 3 * (13 + 1) * 10000 * sizeof(float);
    EXPECT_LT(tree(1000), small + weights);
    EXPECT_GT(tree(10000), small + weights + (std::size_t{100} << 20));
}

TEST(DenseRun, ManyNeuronsAnswerFewRowsAtATime) {
    using learn::Architecture;
    EXPECT_EQ(learn::answer_rows(Architecture::dense(785, {4096, 4096}, {}, 10)), 48u);
    EXPECT_EQ(learn::answer_rows(Architecture::dense(1, {1 << 20}, {}, 1)), 1u);
}

}  // namespace
}  // namespace bitbayes::training
