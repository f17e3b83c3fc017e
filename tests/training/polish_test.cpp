// The polished network of every kind of network and of rows: what it may not change, where it is
// used, when it is dropped, and that it depends on nothing but model, rows and seed.
#include <gtest/gtest.h>

#include <string>

#include "../base/temp_folder.hpp"
#include "../data/tables.hpp"
#include "bitbayes/bitbayes.hpp"
#include "clip/clip.hpp"
#include "model/model_file.hpp"
#include "training/polished.hpp"

namespace bitbayes::training {
namespace {

using test::hard;
using test::kShapes;
using test::options_of;
using test::pattern_of;
using test::Shape;
using test::TempFolder;

learn::SignPattern signs_of(const Model& model) {
    return learn::SignPattern(model.live().snapshot().posterior);
}

/// The model whose posterior is sure of the polished weights.
learn::ModelState sure_of_pattern(const Model& model) {
    learn::ModelState state = model.live().snapshot();
    for (std::size_t l = 0; l < state.posterior.layers.size(); ++l) {
        auto& h = state.posterior.layers[l].learned;
        for (std::size_t k = 0; k < h.size(); ++k) h[k] = state.polished->positive(l, k) ? 1 : -1;
    }
    state.polished.reset();
    return state;
}

TEST(Polish, LeavesPosteriorAndProbabilitiesAlone) {
    const Dataset data = hard(), more = hard(50, 4, 5);
    for (const Shape& shape : kShapes) {
        const Model polished = train(data, options_of(shape)).model;
        const Model plain = train(data, options_of(shape, 0)).model;
        EXPECT_FALSE(pattern_of(plain));
        EXPECT_EQ(plain.to_bytes().find("polished"), std::string::npos);
        learn::ModelState signs = plain.live().snapshot();
        signs.polished = signs_of(plain);
        EXPECT_EQ(PackedNetwork(plain).to_bytes(), PackedNetwork(clip::clip(signs)).to_bytes());
        ASSERT_TRUE(pattern_of(polished));
        const bool single = shape.tree.empty() && shape.dense.empty();
        EXPECT_TRUE(single || *pattern_of(polished) != signs_of(polished));
        EXPECT_EQ(polished.probabilities(more), plain.probabilities(more));
        learn::ModelState state = polished.live().snapshot();
        state.polished.reset();
        EXPECT_EQ(Model(std::move(state)).to_bytes(), plain.to_bytes());
    }
}

TEST(Polish, IsTheClippedNetworkEverywhere) {
    const Dataset data = hard(), more = hard(80, 4, 5);
    const TempFolder folder;
    for (const Shape& shape : kShapes) {
        const Model model = train(data, options_of(shape)).model;
        const PackedNetwork expected(clip::clip(sure_of_pattern(model)));
        const auto answers = expected.predict(more);
        const double error = expected.evaluate(more).error_map;
        model.save(folder / "m", true);
        Model copies[] = {model.clone(), Model::from_bytes(model.to_bytes()),
                          Model::load(folder / "m"), model.clone()};
        copies[3].set_memory(1000);
        for (const Model& copy : copies) {
            EXPECT_EQ(PackedNetwork(copy).to_bytes(), expected.to_bytes());
            EXPECT_EQ(copy.evaluate(more).error_map, error);
            EXPECT_EQ(copy.evaluate_clipped(more).error_map, error);
            const auto map = copy.predict(more, Mode::kMap);
            for (std::size_t r = 0; r < more.rows; ++r) {
                ASSERT_EQ(map[r].class_index, answers[r].class_index);
                ASSERT_EQ(map[r].margin, answers[r].margin);
            }
        }
        EXPECT_EQ(copies[1].to_bytes(), model.to_bytes());
    }
}

TEST(Polish, TheLastEvaluationIsOfThePolishedNetworkAndHistoryIsNot) {
    const Dataset data = hard(), more = hard(300, 4, 5);
    const TrainResult polished = train(data, options_of(kShapes[0]), &more);
    const TrainResult plain = train(data, options_of(kShapes[0], 0), &more);
    EXPECT_EQ(polished.test->error_map, polished.model.evaluate(more).error_map);
    EXPECT_EQ(polished.history.back().test->error_map, plain.test->error_map);
    EXPECT_NE(polished.test->error_map, plain.test->error_map);
    EXPECT_EQ(polished.test->error_mean, plain.test->error_mean);
    EXPECT_GT(polished.seconds_polish, 0);
    EXPECT_EQ(plain.seconds_polish, 0);
}

TEST(Polish, CommitteesDrawFromThePosterior) {
    const Dataset data = hard();
    for (const Shape& shape : {kShapes[0], kShapes[4]}) {
        const Model polished = train(data, options_of(shape)).model;
        const Model plain = train(data, options_of(shape, 0)).model;
        const auto with = clip::clip_committee(polished.live().snapshot(), 3, 7);
        const auto without = clip::clip_committee(plain.live().snapshot(), 3, 7);
        const auto first = clip::clip(sure_of_pattern(polished));
        ASSERT_EQ(with.members.size(), 4u);
        for (std::size_t l = 0; l < with.members[0].size(); ++l) {
            EXPECT_EQ(with.members[0][l].bits, first.members[0][l].bits);
            for (std::size_t m = 1; m < 4; ++m) {
                EXPECT_EQ(with.members[m][l].bits, without.members[m][l].bits);
                EXPECT_EQ(with.members[m][l].threshold, without.members[m][l].threshold);
            }
        }
    }
}

TEST(Polish, LearningDropsIt) {
    const Dataset data = hard(), more = hard(20, 4, 5);
    const std::vector<double> row(12, 0.5);
    for (const Shape& shape : kShapes) {
        const Model polished = train(data, options_of(shape)).model;
        const Model plain = train(data, options_of(shape, 0)).model;
        const auto same = [&](auto&& learn) {
            Model a = polished.clone(), b = plain.clone();
            a.predict(row, Mode::kMap);  // fills what is derived from the pattern
            learn(a);
            learn(b);
            EXPECT_FALSE(pattern_of(a));
            EXPECT_EQ(a.to_bytes(), b.to_bytes());
            EXPECT_EQ(PackedNetwork(a).to_bytes(), PackedNetwork(b).to_bytes());
            EXPECT_EQ(a.evaluate_clipped(more).error_map, b.evaluate_clipped(more).error_map);
        };
        same([&](Model& model) { model.learn(row, "1"); });
        same([&](Model& model) { model.update(more); });
        same([&](Model& model) { model.update(more, 2); });
        same([&](Model& model) { model.add_class("new"); });
    }
}

TEST(Polish, ThreadsLevelsAndRowsOfAllKindsGiveTheSameBytes) {
    const Dataset plain = hard(60);
    Dataset weighted = plain;
    for (std::size_t r = 0; r < weighted.rows; ++r) {
        weighted.weights.push_back(static_cast<float>(r % 3) / 2);
    }
    for (const Dataset& data : {plain, weighted, test::as_sparse(plain)}) {
        const bool sparse = data.kind == DataKind::kSparse;
        for (const Shape& shape : {kShapes[0], kShapes[3], kShapes[4]}) {
            TrainOptions options = options_of(shape, 2);
            options.epochs = 1;
            options.preprocess = sparse ? "none" : "thermometer:20";  // work for several threads
            if (!shape.tree.empty()) options.tree.fan_ins.front() = 33;
            options.threads = 1;
            const std::string one = train(data, options).model.to_bytes();
            EXPECT_NE(one.find("layer1.polished"), std::string::npos);
            for (const unsigned threads : {2u, 5u}) {
                options.threads = threads;
                EXPECT_EQ(train(data, options).model.to_bytes(), one) << threads;
            }
            options.backend = "scalar";
            EXPECT_EQ(train(data, options).model.to_bytes(), one);
        }
    }
}

double weighted_errors(const Model& model, const Dataset& data) {
    const auto answers = model.predict(data, Mode::kMap);
    double errors = 0;
    for (std::size_t r = 0; r < data.rows; ++r) {
        const bool wrong = answers[r].class_index != data.labels[r];
        errors += wrong * (data.weights.empty() ? 1.0 : data.weights[r]);
    }
    return errors;
}

TEST(Polish, IsNeverWorseOnTheRowsAndMostlyBetter) {
    int better = 0;
    Dataset weighted = hard();  // wrong labels hardly count
    const Dataset right = test::blobs(200, 4, 3);
    for (std::size_t r = 0; r < weighted.rows; ++r) {
        weighted.weights.push_back(weighted.labels[r] == right.labels[r] ? 1.0f : 0.01f);
    }
    for (const Dataset& data : {hard(), hard(200, 2), weighted, test::as_sparse(hard())}) {
        for (const Shape& shape : kShapes) {
            TrainOptions options = options_of(shape);
            if (data.kind == DataKind::kSparse) options.preprocess = "none";
            const Model polished = train(data, options).model;
            options.polish = 0;
            const double before = weighted_errors(train(data, options).model, data);
            const double after = weighted_errors(polished, data);
            EXPECT_LE(after, before);
            better += after < before;
        }
    }
    EXPECT_GE(better, 10);
}

TEST(Polish, RowsOfWeightZeroDoNotCount) {
    Dataset data = test::blobs(200, 4, 3), wrong = hard();
    for (std::size_t r = 0; r < data.rows; ++r) {
        data.weights.push_back(wrong.labels[r] == data.labels[r] ? 1 : 0);
    }
    wrong.weights = data.weights;
    for (const Shape& shape : kShapes) {
        EXPECT_EQ(train(wrong, options_of(shape)).model.to_bytes(),
                  train(data, options_of(shape)).model.to_bytes());
    }
}

TEST(Polish, StoppedAndResumedGivesTheSameBytes) {
    const Dataset data = hard();
    const TempFolder folder;
    for (const Shape& shape : {kShapes[0], kShapes[3]}) {
        const TrainOptions options = options_of(shape);
        const std::string whole = train(data, options).model.to_bytes();
        const auto resumed = [&] {
            EXPECT_FALSE(model::load_checkpoint(folder / "c").model.polished);
            bitbayes::Trainer again = bitbayes::Trainer::resume(folder / "c", data, options);
            EXPECT_TRUE(again.run());
            return again.model().to_bytes();
        };
        for (const std::uint64_t round : {0u, 1u, 3u}) {
            bitbayes::Trainer trainer(data, options);
            TrainCallbacks callbacks;
            callbacks.progress = [&](const TrainProgress& now) {
                return now.polish_round != round || now.epoch < 2;
            };
            EXPECT_FALSE(trainer.run(callbacks));
            EXPECT_FALSE(pattern_of(trainer.model()));
            trainer.save_checkpoint(folder / "c");
            EXPECT_EQ(resumed(), whole) << round;
            EXPECT_TRUE(trainer.run());  // or it goes on by itself
            EXPECT_EQ(trainer.model().to_bytes(), whole);
            trainer.save_checkpoint(folder / "c");  // all epochs are done
            EXPECT_EQ(resumed(), whole);
            TrainOptions more = options;
            more.epochs = 5;
            bitbayes::Trainer longer = bitbayes::Trainer::resume(folder / "c", data, more);
            EXPECT_TRUE(longer.run());
            EXPECT_EQ(longer.model().to_bytes(), train(data, more).model.to_bytes());
        }
    }
}

}  // namespace
}  // namespace bitbayes::training
