#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "bitbayes/bitbayes.hpp"
#include "learn/live_model.hpp"
#include "training/blobs.hpp"

namespace bitbayes {
namespace {

using test::blobs;
using test::small_options;

/// The rows of `data` whose class is below `classes`.
Dataset first_classes(const Dataset& data, std::uint32_t classes) {
    std::vector<std::size_t> rows;
    for (std::size_t r = 0; r < data.rows; ++r) {
        if (data.labels[r] < classes) rows.push_back(r);
    }
    return data.select(rows);
}

TEST(AddClass, TheNewTreeIsThatOfALargerNetwork) {
    const Dataset data = blobs(300, 4, 1);
    for (const std::uint32_t classes : {2u, 3u}) {
        TrainOptions options = small_options();
        Model model = train(first_classes(data, classes), options).model;
        const learn::Posterior before = model.live().learner().posterior();
        model.add_class("3");
        const learn::ModelState after = model.live().snapshot();
        EXPECT_EQ(model.class_names().back(), "3");
        EXPECT_EQ(after.architecture.outputs(), classes + 1);
        learn::Posterior prior(after.architecture);
        prior.draw_prior(options.seed, options.prior_scale);
        for (std::size_t l = 0; l < 2; ++l) {
            const auto& old = before.layers[l].learned;
            const auto& now = after.posterior.layers[l].learned;
            const std::size_t tree = now.size() / (classes + 1);
            const auto last = static_cast<std::ptrdiff_t>(classes * tree);
            EXPECT_TRUE(
                std::equal(now.begin() + last, now.end(), prior.layers[l].learned.begin() + last));
            EXPECT_TRUE(std::equal(old.begin(), old.end(),
                                   now.begin() + last - static_cast<std::ptrdiff_t>(old.size())));
        }
        EXPECT_EQ(Model::from_bytes(model.to_bytes()).to_bytes(), model.to_bytes());
    }
}

TEST(AddClass, OldAnswersStayAmongTheOldClasses) {
    const Dataset all = blobs(400, 4, 1), data = first_classes(all, 2);
    for (const auto& tree : std::vector<std::vector<std::size_t>>{{9}, {}, {5, 3}}) {
        for (const auto algorithm : {Algorithm::kMfb, Algorithm::kBackprop}) {
            TrainOptions options = small_options();
            options.tree = tree;
            options.algorithm = algorithm;
            Model model = train(data, options).model;
            model.update(data);  // between two refreshes
            const Model before = model.clone();
            model.add_class("new");
            EXPECT_EQ(model.samples_seen(), before.samples_seen());
            std::size_t kept = 0;
            const auto old_answers = before.predict(data), answers = model.predict(data);
            for (std::size_t r = 0; r < data.rows; ++r) {
                kept += answers[r].class_index == old_answers[r].class_index;
            }
            if (algorithm == Algorithm::kBackprop) continue;  // a random tree may win there
            EXPECT_GE(kept, data.rows * 19 / 20);
            const auto old = before.probabilities(data), now = model.probabilities(data);
            for (std::size_t r = 0; r < data.rows; ++r) {
                const double p = old[2 * r], q = old[2 * r + 1];
                const double squared = p * p / (p * p + q * q);
                EXPECT_NEAR(now[3 * r] / (now[3 * r] + now[3 * r + 1]), squared, 1e-5);
            }
        }
    }
}

TEST(AddClass, ThenItLearnsTheNewClass) {
    const Dataset data = blobs(900, 3, 1), test = blobs(300, 3, 2);
    for (const auto algorithm : {Algorithm::kMfb, Algorithm::kBackprop}) {
        TrainOptions options = small_options();
        options.algorithm = algorithm;
        Model model = train(first_classes(data, 2), options).model;
        EXPECT_THROW(model.update(data), Error);
        model.add_class("2");
        model.update(data);
        EXPECT_LT(model.evaluate(test).error_mean, 0.03);
    }
}

/// Evidence so small that no float moves: the old trees forget, the new one is its own prior.
TEST(AddClass, TheNewTreeForgetsTowardItsOwnPrior) {
    const Dataset data = blobs(600, 4, 1);
    for (const std::uint32_t classes : {2u, 3u}) {
        TrainOptions options = small_options();
        options.memory = 1000;
        Model trained = train(first_classes(data, classes), options).model;
        trained.add_class("3");
        learn::ModelState state = trained.live().snapshot();
        state.evidence = 1e-30;
        const learn::Posterior before = state.posterior;
        learn::LiveModel live(std::move(state));
        std::vector<std::size_t> rows(256, 0);
        std::vector<std::uint32_t> labels(256, classes);
        live.learn(data, rows, labels, [](std::size_t, auto, auto) {});
        const learn::Posterior after = live.learner().posterior();
        for (std::size_t l = 0; l < 2; ++l) {
            const auto &old = before.layers[l].learned, &now = after.layers[l].learned;
            const auto last = static_cast<std::ptrdiff_t>(now.size() / (classes + 1) * classes);
            EXPECT_TRUE(std::equal(now.begin() + last, now.end(), old.begin() + last));
            EXPECT_FALSE(std::equal(now.begin(), now.begin() + last, old.begin()));
        }
    }
}

TEST(AddClass, RefusesAClassThatIsThere) {
    Model model = train(blobs(100, 3, 1), small_options()).model;
    for (const char* name : {"1", "+1"}) EXPECT_THROW(model.add_class(name), Error) << name;
    EXPECT_EQ(model.class_names().size(), 3u);
}

}  // namespace
}  // namespace bitbayes
