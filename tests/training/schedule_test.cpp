// What changes from epoch to epoch: evidence, and how images are moved.
#include <gtest/gtest.h>

#include <cmath>

#include "learn/live_model.hpp"
#include "model/expect_error.hpp"
#include "training/blobs.hpp"
#include "training/evidence.hpp"
#include "training/trainer.hpp"

namespace bitbayes::training {
namespace {

/// Twelve columns as images.
Dataset images(std::size_t rows) {
    Dataset data = test::blobs(rows, 4, 1);
    data.image = {4, 3};
    return data;
}

/// A tree, and a dense network in batches.
std::vector<TrainOptions> networks() {
    TrainOptions tree = test::small_options(), dense = tree;
    dense.tree = {};
    dense.dense = {24};
    dense.batch = 32;
    dense.evidence = 1;
    return {tree, dense};
}

using Numbers = std::vector<std::vector<float>>;

Numbers numbers(const learn::LiveModel& model) {
    Numbers all;
    for (const auto& layer : model.learner().posterior().layers) {
        all.emplace_back(layer.learned.begin(), layer.learned.end());
        all.emplace_back(layer.carried.begin(), layer.carried.end());
    }
    return all;
}

Numbers trained(const Dataset& data, const TrainOptions& options) {
    Trainer trainer(initial_model(data, options), data, std::nullopt, options);
    EXPECT_TRUE(trainer.run({}));
    return numbers(trainer.model());
}

/// Saved at that sample, and gone on from there by another trainer.
Numbers resumed_at(std::uint64_t sample, const Dataset& data, const TrainOptions& options) {
    Trainer first(initial_model(data, options), data, std::nullopt, options);
    std::optional<learn::ModelState> saved;
    TrainPosition position;
    Trainer::Hooks hooks;
    hooks.every = sample;
    hooks.checkpoint = [&] {
        if (saved) return;
        saved = first.model().snapshot();
        position = first.position();
    };
    EXPECT_TRUE(first.run(hooks));
    Trainer second(saved.value(), data, std::nullopt, options, position);
    EXPECT_TRUE(second.run({}));
    return numbers(second.model());
}

void expect_same_bytes_however_run(const Dataset& data, TrainOptions options) {
    options.threads = 1;
    const Numbers whole = trained(data, options);
    for (const std::uint64_t sample : {77u, 200u, 333u, 577u}) {
        EXPECT_EQ(resumed_at(sample, data, options), whole) << sample;
    }
    options.threads = 3;
    EXPECT_EQ(trained(data, options), whole);
    options.backend = "scalar";
    EXPECT_EQ(trained(data, options), whole);
}

TEST(ShiftedImages, AreTheSameHoweverTheRunIsMade) {
    for (TrainOptions options : networks()) {
        options.augment = "shift:1";
        expect_same_bytes_however_run(images(200), options);
    }
}

/// The rows as an epoch sees them.
Dataset moved(Dataset data, const data::Shift& shift) {
    auto& values = std::get<std::vector<double>>(data.values);
    for (std::size_t row = 0; row < data.rows; ++row) {
        shift.move(row, data.image, std::span(values).subspan(row * data.features, data.features));
    }
    return data;
}

TEST(ShiftedImages, AreMovedAnewInEachEpoch) {
    const Dataset data = images(200);
    for (TrainOptions options : networks()) {
        options.shuffle = false;
        TrainOptions one = options;
        one.epochs = 1;
        learn::ModelState state = initial_model(data, options);
        for (const std::uint32_t epoch : {0, 1, 2}) {
            const Dataset rows = moved(data, {1, options.seed, epoch});
            Trainer trainer(state, rows, std::nullopt, one);
            ASSERT_TRUE(trainer.run({}));
            state = trainer.model().snapshot();
        }
        options.augment = "shift:1";
        EXPECT_EQ(trained(data, options), numbers(learn::LiveModel(state)));
    }
}

TEST(ShiftedImages, TablesAreRefused) {
    TrainOptions options = test::small_options();
    options.augment = "shift:1";
    const Dataset table = test::blobs(20, 2, 1);
    test::error_of(ErrorCode::kUsage, [&] { initial_model(table, options); });
    options.augment = "shift:3";
    test::error_of(ErrorCode::kUsage, [&] { decided(options, images(20)); });
    options.augment = "shift:2";
    EXPECT_NO_THROW(decided(options, images(20)));
}

TEST(EvidenceOfEpochs, ChangesByEqualFactors) {
    for (const auto& [from, to] : {std::pair(1.0, 10.0), {10.0, 0.01}, {1e-30, 1e30}, {3.0, 3.1}}) {
        for (const std::uint64_t epochs : {2u, 3u, 10u, 1000u}) {
            const Evidence evidence(from, to);
            EXPECT_EQ(evidence_of_epoch(evidence, 0, epochs), from);
            EXPECT_EQ(evidence_of_epoch(evidence, epochs - 1, epochs), to);
            for (const std::uint64_t k : {std::uint64_t{1}, epochs / 2, epochs - 2}) {
                const double share = static_cast<double>(k) / static_cast<double>(epochs - 1);
                const double expected = from * std::pow(to / from, share);
                EXPECT_NEAR(evidence_of_epoch(evidence, k, epochs) / expected, 1, 1e-12);
            }
        }
    }
    EXPECT_EQ(evidence_of_epoch({1, 9}, 1, 3), 3);
    EXPECT_EQ(evidence_of_epoch({1, 10}, 0, 1), 1) << "one epoch";
    EXPECT_EQ(evidence_of_epoch(7, 3, 10), 7);
}

TEST(EvidenceOfEpochs, TheSameBytesHoweverTheRunIsMade) {
    for (TrainOptions options : networks()) {
        options.evidence = {0.5, 4};
        expect_same_bytes_however_run(images(200), options);
    }
}

TEST(EvidenceOfEpochs, EachEpochLearnsWithItsOwn) {
    const Dataset data = images(200);
    for (TrainOptions options : networks()) {
        options.shuffle = false;
        options.evidence = {1, 9};
        Trainer trainer(initial_model(data, options), data, std::nullopt, options);
        ASSERT_TRUE(trainer.run({}));
        EXPECT_EQ(trainer.model().description().evidence, 1) << "that of `update`";

        learn::ModelState state = initial_model(data, options);
        for (const double evidence : {1, 3, 9}) {
            state.evidence = evidence;
            TrainOptions one = options;
            one.evidence = evidence;
            one.epochs = 1;
            Trainer epoch(state, data, std::nullopt, one);
            ASSERT_TRUE(epoch.run({}));
            state = epoch.model().snapshot();
        }
        EXPECT_EQ(numbers(trainer.model()), numbers(learn::LiveModel(state)));

        options.evidence = {2, 2};
        const Numbers same = trained(data, options);
        options.evidence = 2;
        EXPECT_EQ(same, trained(data, options));
    }
}

}  // namespace
}  // namespace bitbayes::training
