// Label noise end to end: trees, single layers and dense networks; two classes and more.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "bitbayes/bitbayes.hpp"
#include "learn/live_model.hpp"
#include "training/blobs.hpp"
#include "training/trainer.hpp"

namespace bitbayes::training {
namespace {

using test::blobs;
using test::small_options;
using test::with_wrong_labels;

struct Shape {
    std::vector<std::size_t> tree, dense;
};
const Shape kShapes[] = {{{9}, {}}, {{}, {}}, {{5, 3}, {}}, {{}, {20}}, {{3}, {20}}};

TrainOptions options_of(const Shape& shape, std::optional<double> label_noise) {
    TrainOptions options = small_options();
    options.tree = shape.tree;
    options.dense = shape.dense;
    options.label_noise = label_noise;
    options.evidence = 1;
    options.polish = 0;
    return options;
}

std::vector<float> eps_of(const Model& model) {
    const auto eps = model.live().eps();
    return {eps.begin(), eps.end()};
}

std::string bytes_of(const Dataset& data, TrainOptions options, unsigned threads,
                     const char* backend = "auto") {
    options.threads = threads;
    options.backend = backend;
    return train(data, options).model.to_bytes();
}

TEST(LabelNoise, ThreadsAndLevelsGiveTheSameBytes) {
    for (const std::size_t classes : {2, 5}) {
        const Dataset data = with_wrong_labels(blobs(50, classes, 3), 0.1);
        for (const Shape& shape : kShapes) {
            for (const std::optional<double> noise : {std::optional<double>(), {0.1}}) {
                TrainOptions options = options_of(shape, noise);
                options.preprocess = "thermometer:20";  // enough work for several threads
                if (!shape.tree.empty()) options.tree.fan_ins.front() = 33;
                options.epochs = 1;
                const std::string one = bytes_of(data, options, 1);
                EXPECT_EQ(bytes_of(data, options, 2), one);
                EXPECT_EQ(bytes_of(data, options, 5), one);
                EXPECT_EQ(bytes_of(data, options, 1, "scalar"), one);
                const auto learned = Model::from_bytes(one).posterior(0);
                options.label_noise = 0;
                const auto paper = train(data, options).model.posterior(0);
                EXPECT_FALSE(
                    std::equal(learned.values.begin(), learned.values.end(), paper.values.begin()));
            }
        }
    }
}

TEST(LabelNoise, StoppedAnywhereAndResumedGivesTheSameBytesAndErrors) {
    const Dataset data = with_wrong_labels(blobs(300, 4, 4), 0.2);
    for (const Shape& shape : kShapes) {
        const TrainOptions options = options_of(shape, std::nullopt);
        Trainer whole(initial_model(data, options), data, std::nullopt, options);
        ASSERT_TRUE(whole.run({}));
        const std::string bytes = Model(whole.model().snapshot()).to_bytes();
        for (const std::uint64_t stop : {1u, 77u, 301u, 555u}) {
            Trainer first(initial_model(data, options), data, std::nullopt, options);
            std::optional<std::pair<std::string, TrainPosition>> saved;
            Trainer::Hooks hooks;
            hooks.every = stop;
            hooks.checkpoint = [&] {
                if (!saved)
                    saved.emplace(Model(first.model().snapshot()).to_bytes(), first.position());
            };
            ASSERT_TRUE(first.run(hooks));
            ASSERT_TRUE(saved);
            Trainer second(Model::from_bytes(saved->first).live().snapshot(), data, std::nullopt,
                           options, saved->second);
            ASSERT_TRUE(second.run({}));
            EXPECT_EQ(Model(second.model().snapshot()).to_bytes(), bytes) << stop;
            for (std::size_t e = 0; e < 3; ++e) {
                EXPECT_EQ(whole.position().history[e].error_progressive,
                          second.position().history[e].error_progressive);
            }
        }
    }
}

TEST(LabelNoise, UpdateGoesOnWithIt) {
    const Dataset data = with_wrong_labels(blobs(300, 3, 4), 0.2);
    for (const Shape& shape : {kShapes[0], kShapes[3]}) {
        TrainOptions options = options_of(shape, std::nullopt);
        if (!shape.dense.empty()) options.batch = 1;
        options.shuffle = false;
        options.epochs = 2;
        const Model twice = train(data, options).model;
        options.epochs = 1;
        Model once = train(data, options).model;
        once.update(data);
        const auto a = once.live().snapshot(), b = twice.live().snapshot();
        EXPECT_EQ(a.label_noise, b.label_noise);
        for (std::size_t l = 0; l < a.posterior.layers.size(); ++l) {
            EXPECT_EQ(a.posterior.layers[l].learned, b.posterior.layers[l].learned);
        }
        EXPECT_EQ(eps_of(Model::from_bytes(once.to_bytes())), eps_of(once));
    }
}

TEST(LabelNoise, ARowOfWeightZeroDoesNotMoveIt) {
    Dataset data = with_wrong_labels(blobs(300, 3, 4), 0.2);
    for (const Shape& shape : {kShapes[0], kShapes[3]}) {
        Model model = train(data, options_of(shape, std::nullopt)).model;
        const auto before = eps_of(model);
        EXPECT_GT(before[0], 0.01f);
        Dataset nothing = data;
        nothing.weights.assign(data.rows, 0);
        model.update(nothing);
        EXPECT_EQ(eps_of(model), before);
        model.update(data);
        EXPECT_NE(eps_of(model), before);
    }
}

TEST(LabelNoise, EveryRowIsAnsweredWithThatFromBeforeIt) {
    const Dataset data = with_wrong_labels(blobs(400, 3, 4), 0.2);
    std::vector<std::size_t> order(data.rows);
    std::iota(order.begin(), order.end(), 0u);
    const auto answers = [&](const Shape& shape, std::size_t together) {
        learn::LiveModel model(initial_model(data, options_of(shape, std::nullopt)));
        std::vector<float> seen;
        for (std::size_t first = 0; first < data.rows; first += together) {
            model.learn(data, std::span(order).subspan(first, together),
                        std::span(data.labels).subspan(first, together),
                        [&](std::size_t, auto, auto eps) {
                            seen.insert(seen.end(), eps.begin(), eps.end());
                        });
        }
        EXPECT_GT(*std::max_element(seen.begin(), seen.end()), 0.01f);
        return seen;
    };
    for (const Shape& shape : {kShapes[0], kShapes[3]}) {
        EXPECT_EQ(answers(shape, data.rows), answers(shape, 1));
    }
}

TEST(LabelNoise, AFixedOneStaysAndNoneIsNotStored) {
    const Dataset data = blobs(100, 3, 4);
    EXPECT_EQ(eps_of(train(data, options_of(kShapes[0], 0.125)).model),
              std::vector<float>(3, 0.125f));
    const learn::ModelState paper = initial_model(data, options_of(kShapes[0], 0));
    EXPECT_EQ(paper.label_noise, learn::LabelNoise{});
}

TEST(LabelNoise, AutomaticFindsTheShareOfWrongLabelsAndGivesBetterProbabilities) {
    for (const std::size_t classes : {2, 3}) {
        const Dataset data = with_wrong_labels(blobs(3000, classes, 1), 0.2);
        const Dataset test = with_wrong_labels(blobs(1000, classes, 2), 0.2);
        for (const Shape& shape : {kShapes[0], kShapes[3]}) {
            TrainOptions options = options_of(shape, std::nullopt);
            const TrainResult noisy = train(data, options, &test);
            options.label_noise = 0;
            const TrainResult paper = train(data, options, &test);
            // An output of three classes is wrong if the label is, or if it became that class.
            const double expected = classes == 2 ? 0.2 : 0.2 * 2 / 3;
            for (const float eps : eps_of(noisy.model)) EXPECT_NEAR(eps, expected, 0.06);
            const Evaluation &with = *noisy.history.back().test,
                             &without = *paper.history.back().test;
            EXPECT_LT(with.nll, without.nll) << classes;
            EXPECT_LT(with.error_mean, 0.26);
        }
    }
}

TEST(LabelNoise, ProbabilitiesSumToOneAndTheirMaximumIsTheAnswer) {
    const Dataset data = with_wrong_labels(blobs(500, 5, 1), 0.2);
    const Model model = train(data, options_of(kShapes[0], std::nullopt)).model;
    const auto probabilities = model.probabilities(data);
    const auto answers = model.predict(data);
    for (std::size_t r = 0; r < data.rows; ++r) {
        const auto row = std::span(probabilities).subspan(5 * r, 5);
        EXPECT_NEAR(std::accumulate(row.begin(), row.end(), 0.0), 1, 1e-12);
        const auto most = std::max_element(row.begin(), row.end()) - row.begin();
        EXPECT_EQ(answers[r].class_index, static_cast<std::uint32_t>(most));
        EXPECT_EQ(answers[r].probability, row[answers[r].class_index]);
    }
}

TEST(LabelNoise, ANewClassGetsTheMeanOfTheOthers) {
    const Dataset two = with_wrong_labels(blobs(300, 2, 1), 0.2);
    const Dataset three = with_wrong_labels(blobs(300, 3, 1), 0.2);
    Model model = train(two, options_of(kShapes[0], std::nullopt)).model;
    const float eps = eps_of(model)[0];
    model.add_class("new");
    EXPECT_EQ(eps_of(model), std::vector<float>(3, eps));
    model = train(three, options_of(kShapes[3], std::nullopt)).model;
    auto expected = eps_of(model);
    expected.push_back((expected[0] + expected[1] + expected[2]) / 3);
    model.add_class("new");
    EXPECT_EQ(eps_of(model), expected);
    EXPECT_EQ(eps_of(Model::from_bytes(model.to_bytes())), expected);
    model = train(three, options_of(kShapes[0], 0)).model;
    model.add_class("new");
    EXPECT_TRUE(eps_of(model).empty());
}

}  // namespace
}  // namespace bitbayes::training
