// Training end to end: same bytes for any number of threads, any block boundaries, any moment of saving and resuming.
#include <cmath>
#include <cstring>
#include <random>

#include <gtest/gtest.h>

#include "bitbayes/bitbayes.hpp"
#include "learn/trainer.hpp"

namespace bitbayes::learn {
namespace {

/// `classes` Gaussian blobs in 12 columns.
Dataset blobs(std::size_t rows, std::size_t classes, unsigned seed) {
    std::mt19937 engine(seed), centres(99);
    std::normal_distribution<double> normal;
    std::vector<double> centre(classes * 12);
    for (double& c : centre) c = 2 * normal(centres);
    Dataset data;
    data.name = "blobs";
    data.rows = rows;
    data.features = 12;
    std::vector<double> values;
    for (std::size_t r = 0; r < rows; ++r) {
        const auto label = static_cast<std::uint32_t>(r % classes);
        data.labels.push_back(label);
        for (std::size_t j = 0; j < 12; ++j)
            values.push_back(centre[label * 12 + j] + normal(engine));
    }
    data.values = values;
    for (std::size_t k = 0; k < classes; ++k) data.class_names.push_back(std::to_string(k));
    return data;
}

TrainOptions small_options() {
    TrainOptions options;
    options.tree = {9};
    options.epochs = 3;
    options.preprocess = "center";
    return options;
}

bool same_h(const Posterior& a, const Posterior& b) {
    for (std::size_t l = 0; l < a.layers.size(); ++l) {
        if (a.layers[l].h != b.layers[l].h || a.layers[l].w != b.layers[l].w) return false;
    }
    return true;
}

ModelState trained(const Dataset& data, const TrainOptions& options) {
    Trainer trainer(initial_model(data, options), data, nullptr, options);
    EXPECT_TRUE(trainer.run({}));
    return trainer.take_model();
}

TEST(Trainer, LearnsBlobsAndCountsWhatItSaw) {
    for (const std::size_t classes : {2, 5}) {
        const Dataset data = blobs(1000, classes, 1), test = blobs(500, classes, 2);
        const TrainResult result = train(data, small_options(), &test);
        ASSERT_EQ(result.history.size(), 3u);
        EXPECT_LT(result.history.back().test->error_mean, 0.03);
        EXPECT_LT(result.history.back().test->error_map, 0.06);
        EXPECT_LT(result.error_progressive, 0.2);
        EXPECT_EQ(result.error_progressive, result.history.front().error_progressive);
        EXPECT_EQ(result.model.samples_seen(), 3000u);
        EXPECT_EQ(result.history.back().test->rows, 500u);
    }
}

TEST(Trainer, AnyNumberOfThreadsGivesTheSameBytes) {
    const Dataset data = blobs(700, 7, 3);
    TrainOptions options = small_options();
    options.threads = 1;
    const ModelState one = trained(data, options);
    for (const unsigned threads : {2u, 5u}) {
        options.threads = threads;
        EXPECT_TRUE(same_h(one.posterior, trained(data, options).posterior)) << threads;
    }
}

TEST(Trainer, OneTreeSplitOverThreadsGivesTheSameBytes) {
    // Two classes: one tree of 1 or 3 upper layers, whose first layer is shared out.
    const Dataset data = blobs(150, 2, 3);
    for (const auto& tree : std::vector<std::vector<std::size_t>>{{101}, {33, 5}}) {
        TrainOptions options = small_options();
        options.preprocess = "thermometer:20";
        options.tree = tree;
        options.threads = 1;
        const ModelState one = trained(data, options);
        for (const unsigned threads : {2u, 3u, 5u}) {
            options.threads = threads;
            EXPECT_TRUE(same_h(one.posterior, trained(data, options).posterior)) << threads;
        }
    }
}

TEST(Trainer, PlainLoopsGiveTheSameBytes) {
    const Dataset data = blobs(200, 3, 3);
    TrainOptions options = small_options();
    options.epochs = 1;
    const ModelState best = trained(data, options);
    options.backend = "scalar";
    EXPECT_TRUE(same_h(best.posterior, trained(data, options).posterior));
}

TEST(Trainer, StoppedAnywhereAndResumedGivesTheSameBytesAndHistory) {
    const Dataset data = blobs(300, 4, 4), test = blobs(100, 4, 5);
    const TrainOptions options = small_options();
    Trainer whole(initial_model(data, options), data, &test, options);
    ASSERT_TRUE(whole.run({}));
    for (const std::uint64_t stop : {1u, 77u, 256u, 300u, 301u, 555u, 600u, 899u}) {
        Trainer first(initial_model(data, options), data, &test, options);
        ModelState saved;
        TrainPosition position;
        Trainer::Hooks hooks;
        hooks.every = stop;
        bool kept = false;
        hooks.checkpoint = [&] {
            if (kept) return;
            kept = true;
            saved = first.model();
            position = first.position();
        };
        ASSERT_TRUE(first.run(hooks));
        ASSERT_TRUE(kept);
        ASSERT_EQ(position.epochs_done * 300 + position.sample, stop);
        Trainer second(saved, data, &test, options, position);
        ASSERT_TRUE(second.run({}));
        EXPECT_TRUE(same_h(whole.model().posterior, second.model().posterior)) << stop;
        EXPECT_TRUE(same_h(whole.model().posterior, first.model().posterior)) << stop;
        EXPECT_EQ(second.model().samples_seen, 900u);
        for (std::size_t e = 0; e < 3; ++e) {
            EXPECT_EQ(whole.position().history[e].error_progressive,
                      second.position().history[e].error_progressive);
            EXPECT_EQ(whole.position().history[e].test->nll,
                      second.position().history[e].test->nll);
        }
    }
}

TEST(Trainer, ProgressStopsTheRunAndSeesPowersOfTwo) {
    const Dataset data = blobs(300, 3, 6);
    const TrainOptions options = small_options();
    Trainer trainer(initial_model(data, options), data, nullptr, options);
    std::vector<std::size_t> seen;
    Trainer::Hooks hooks;
    hooks.progress = [&](const TrainProgress& progress) {
        seen.push_back(progress.sample);
        return progress.sample < 64;
    };
    EXPECT_FALSE(trainer.run(hooks));
    EXPECT_EQ(seen, (std::vector<std::size_t>{1, 2, 4, 8, 16, 32, 64}));
    EXPECT_EQ(trainer.model().samples_seen, 64u);
}

TEST(Trainer, EachEpochHasItsOwnOrderUnlessToldOtherwise) {
    const Dataset data = blobs(300, 3, 7);
    TrainOptions options = small_options();
    const ModelState shuffled = trained(data, options);
    options.seed = 2;
    EXPECT_FALSE(same_h(shuffled.posterior, trained(data, options).posterior));
    options = small_options();
    options.shuffle = false;
    options.epochs = 1;
    Model in_order(trained(data, options));
    options.epochs = 2;
    Model twice(trained(data, options));
    in_order.update(data);
    EXPECT_TRUE(same_h(in_order.state().posterior, twice.state().posterior));
}

TEST(Trainer, OneSampleAtATimeIsTheSameAsAPass) {
    const Dataset data = blobs(120, 4, 8);
    TrainOptions options = small_options();
    options.epochs = 1;
    Model a(trained(data, options)), b(trained(data, options));
    const Dataset more = blobs(60, 4, 9);
    const UpdateReport report = a.update(more);
    std::size_t errors = 0;
    std::vector<double> row(12);
    for (std::size_t r = 0; r < more.rows; ++r) {
        more.copy_row(r, row);
        const Answer predicted = b.predict(row);
        const Answer before = b.learn(row, more.class_names[more.labels[r]]);
        EXPECT_EQ(predicted.class_index, before.class_index);
        EXPECT_EQ(predicted.probability, before.probability);
        errors += before.class_index != more.labels[r];
    }
    EXPECT_TRUE(same_h(a.state().posterior, b.state().posterior));
    EXPECT_EQ(report.error_progressive, static_cast<double>(errors) / 60);
    EXPECT_EQ(a.samples_seen(), 180u);
}

TEST(Trainer, EvidenceMultipliesTheStepOfASample) {
    const Dataset data = blobs(50, 3, 10);
    const ModelState start = initial_model(data, small_options());
    std::vector<double> row(12);
    data.copy_row(0, row);
    const auto learned = [&](double evidence) {
        ModelState state = start;
        state.evidence = evidence;
        Model model(std::move(state));
        model.learn(row, data.class_names[data.labels[0]]);
        return model.state().posterior;
    };
    const Posterior once = learned(1), five_times = learned(5);
    double moved = 0;
    for (std::size_t l = 0; l < 2; ++l) {
        for (std::size_t k = 0; k < once.layers[l].h.size(); ++k) {
            const float h = start.posterior.layers[l].h[k];
            const float step = once.layers[l].h[k] - h;
            moved += std::fabs(step);
            ASSERT_NEAR(five_times.layers[l].h[k] - h, 5 * step, 2e-6);
        }
    }
    EXPECT_GT(moved, 0.5);
}

TEST(Trainer, AmplitudeOfTheDataDoesNotMatter) {
    const Dataset data = blobs(400, 4, 11), test = blobs(200, 4, 12);
    const auto scaled = [](Dataset copy, double c) {
        for (double& value : std::get<std::vector<double>>(copy.values)) value *= c;
        return copy;
    };
    for (const char* preprocess : {"none", "center"}) {
        TrainOptions options = small_options();
        options.preprocess = preprocess;
        options.bias = preprocess != std::string("none");  // a constant 1 would not scale along
        const auto plain = train(data, options).model.predict(test);
        for (const double c : {1000.0, 0.001}) {
            const auto answers = train(scaled(data, c), options).model.predict(scaled(test, c));
            for (std::size_t r = 0; r < test.rows; ++r) {
                ASSERT_EQ(answers[r].class_index, plain[r].class_index);
                ASSERT_NEAR(answers[r].probability, plain[r].probability, 1e-3);
            }
        }
    }
}

TEST(Trainer, RefusesDataThatTeachesNothing) {
    Dataset one_class = blobs(20, 3, 13);
    for (auto& label : one_class.labels) label = 1;
    EXPECT_THROW(initial_model(one_class, small_options()), Error);
    Dataset unlabelled = blobs(20, 3, 13);
    unlabelled.labels.clear();
    EXPECT_THROW(initial_model(unlabelled, small_options()), Error);
    const Dataset data = blobs(100, 3, 14), more_classes = blobs(100, 4, 15);
    EXPECT_THROW(train(data, small_options(), &more_classes), Error);
}

TEST(Trainer, RefusesAPositionBeyondTheData) {
    const Dataset data = blobs(100, 3, 14);
    TrainPosition position;
    position.sample = 100;
    EXPECT_THROW(
        Trainer(initial_model(data, small_options()), data, nullptr, small_options(), position),
        Error);
}

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

TEST(Posterior, PriorHasThePapersWidthAndDependsOnTheSeed) {
    const auto shape = Architecture::tree(785, {301}, 2);
    Posterior a(shape), b(shape);
    a.draw_prior(1, 1);
    b.draw_prior(2, 1);
    EXPECT_FALSE(same_h(a, b));
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

}  // namespace
}  // namespace bitbayes::learn
