// The public API on networks with dense hidden layers.
#include <gtest/gtest.h>

#include <algorithm>

#include "bitbayes/bitbayes.hpp"
#include "learn/live_model.hpp"
#include "training/blobs.hpp"

namespace bitbayes {
namespace {

using test::blobs;

TrainOptions dense_options(std::vector<std::size_t> tree = {}) {
    TrainOptions options{.tree = std::move(tree), .dense = {24, 10}, .epochs = 5};
    options.batch = 10;
    options.preprocess = "center";
    return options;
}

/// Both kinds of top, both algorithms.
std::vector<TrainOptions> kinds() {
    std::vector<TrainOptions> result;
    for (const auto& tree : std::vector<std::vector<std::size_t>>{{}, {3}}) {
        for (const auto algorithm : {Algorithm::kMfb, Algorithm::kBackprop}) {
            TrainOptions options = dense_options(tree);
            options.algorithm = algorithm;
            if (algorithm == Algorithm::kBackprop) options.learning_rate = 0.05;
            result.push_back(std::move(options));
        }
    }
    return result;
}

std::span<const double> row_of(const Dataset& data, std::size_t r) {
    return std::span(std::get<std::vector<double>>(data.values))
        .subspan(r * data.features, data.features);
}

TEST(DenseModel, LayersAreReadAsTheyAre) {
    const Model model = train(blobs(100, 3, 1), dense_options({3})).model;
    ASSERT_EQ(model.layers(), 4u);
    const std::size_t neurons[] = {24, 10, 9, 3}, fan_in[] = {13, 25, 11, 3};
    for (std::size_t l = 0; l < 4; ++l) {
        const PosteriorLayer layer = model.posterior(l);
        EXPECT_EQ(layer.neurons, neurons[l]);
        EXPECT_EQ(layer.fan_in, fan_in[l]);
        EXPECT_EQ(layer.reads_all, l < 3);
        EXPECT_EQ(layer.values.size(), neurons[l] * fan_in[l]);
    }
}

TEST(DenseModel, CopiesAnswerAndLearnAlike) {
    const Dataset data = blobs(300, 3, 1), more = blobs(100, 3, 2);
    for (const TrainOptions& options : kinds()) {
        Model model = train(data, options).model;
        Model copy = model.clone(), back = Model::from_bytes(model.to_bytes());
        EXPECT_EQ(back.to_bytes(), model.to_bytes());
        for (std::size_t r = 0; r < more.rows; ++r) {
            EXPECT_EQ(back.predict(row_of(more, r)).margin, model.predict(row_of(more, r)).margin);
        }
        EXPECT_LT(model.evaluate(more).error_mean, 0.1);
        for (std::size_t r = 0; r < more.rows; ++r) {
            model.learn(row_of(more, r), more.class_names[more.labels[r]]);
        }
        copy.update(more, 1);
        back.update(more, 3);
        EXPECT_EQ(copy.to_bytes(), model.to_bytes());
        EXPECT_EQ(back.to_bytes(), model.to_bytes());
    }
}

TEST(DenseModel, TheClippedNetworkIsThePackedOne) {
    const Dataset data = blobs(300, 4, 1), more = blobs(300, 4, 3);
    for (const TrainOptions& options : kinds()) {
        const Model model = train(data, options).model;
        const PackedNetwork packed(model);
        const auto map = model.predict(more, Mode::kMap), answers = packed.predict(more);
        for (std::size_t r = 0; r < more.rows; ++r) {
            ASSERT_EQ(map[r].class_index, answers[r].class_index);
            ASSERT_EQ(map[r].margin, answers[r].margin);
        }
        EXPECT_EQ(model.evaluate(more).error_map, packed.evaluate(more).error_map);
        EXPECT_EQ(model.evaluate_clipped(more).error_map, packed.evaluate(more).error_map);
    }
}

Dataset first_classes(const Dataset& data, std::uint32_t classes) {
    std::vector<std::size_t> rows;
    for (std::size_t r = 0; r < data.rows; ++r) {
        if (data.labels[r] < classes) rows.push_back(r);
    }
    return data.select(rows);
}

TEST(DenseModel, AClassIsAddedOnTopOfTheSharedLayers) {
    const Dataset data = blobs(300, 4, 1);
    for (const TrainOptions& options : kinds()) {
        for (const std::uint32_t classes : {2u, 3u}) {
            Model model = train(first_classes(data, classes), options).model;
            const learn::Posterior before = model.live().learner().posterior();
            model.add_class("3");
            const learn::ModelState after = model.live().snapshot();
            learn::Posterior prior(after.architecture, options.algorithm);
            prior.draw_prior(options.seed, options.prior_scale);
            EXPECT_TRUE(after.architecture.is_whole());
            EXPECT_EQ(after.architecture.outputs(), classes + 1);
            for (std::size_t l = 0; l < before.layers.size(); ++l) {
                const auto& old = before.layers[l].learned;
                const auto& now = after.posterior.layers[l].learned;
                if (l < 2) {
                    EXPECT_EQ(old, now);
                    continue;
                }
                const auto last = static_cast<std::ptrdiff_t>(now.size() / (classes + 1) * classes);
                EXPECT_TRUE(std::equal(now.begin() + last, now.end(),
                                       prior.layers[l].learned.begin() + last));
                EXPECT_TRUE(
                    std::equal(old.begin(), old.end(),
                               now.begin() + last - static_cast<std::ptrdiff_t>(old.size())));
            }
            EXPECT_EQ(Model::from_bytes(model.to_bytes()).to_bytes(), model.to_bytes());
        }
    }
}

TEST(DenseModel, TwoClassesStayApartWhenAThirdIsAdded) {
    const Dataset all = blobs(600, 3, 1), data = first_classes(all, 2);
    for (const auto& tree : std::vector<std::vector<std::size_t>>{{}, {3}}) {
        Model model = train(data, dense_options(tree)).model;
        const auto old = model.probabilities(data);
        model.add_class("2");
        const auto now = model.probabilities(data);
        for (std::size_t r = 0; r < data.rows; ++r) {
            const double p = old[2 * r], q = old[2 * r + 1];
            const double squared = p * p / (p * p + q * q);
            EXPECT_NEAR(now[3 * r] / (now[3 * r] + now[3 * r + 1]), squared, 1e-5);
        }
        model.update(all);
        EXPECT_LT(model.evaluate(blobs(300, 3, 2)).error_mean, 0.05);
    }
}

}  // namespace
}  // namespace bitbayes
