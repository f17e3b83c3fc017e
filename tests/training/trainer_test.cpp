// Training end to end: same bytes for any number of threads, any block boundaries, any moment of saving and resuming.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <random>

#include <gtest/gtest.h>

#include "bitbayes/bitbayes.hpp"
#include "bitbayes/types/error.hpp"
#include "learn/live_model.hpp"
#include "training/blobs.hpp"
#include "training/trainer.hpp"

namespace bitbayes::training {
namespace {

using test::blobs;
using test::small_options;

bool same_h(const learn::Posterior& a, const learn::Posterior& b) {
    for (std::size_t l = 0; l < a.layers.size(); ++l) {
        if (a.layers[l].learned != b.layers[l].learned ||
            a.layers[l].carried != b.layers[l].carried) {
            return false;
        }
    }
    return true;
}

learn::ModelState trained(const Dataset& data, const TrainOptions& options) {
    Trainer trainer(initial_model(data, options), data, std::nullopt, options);
    EXPECT_TRUE(trainer.run({}));
    return trainer.model().snapshot();
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
    const Dataset data = blobs(140, 7, 3);
    TrainOptions options = small_options();
    options.tree = {41};  // enough work for several threads
    options.threads = 1;
    const learn::ModelState one = trained(data, options);
    for (const unsigned threads : {2u, 5u}) {
        options.threads = threads;
        EXPECT_TRUE(same_h(one.posterior, trained(data, options).posterior)) << threads;
    }
}

TEST(Trainer, OneTreeSplitOverThreadsGivesTheSameBytes) {
    // Two classes: one tree of 1 or 3 upper layers, whose first layer is divided among threads.
    const Dataset data = blobs(50, 2, 3);
    for (const auto& tree : std::vector<std::vector<std::size_t>>{{101}, {33, 5}}) {
        TrainOptions options = small_options();
        options.preprocess = "thermometer:20";
        options.tree = tree;
        options.threads = 1;
        const learn::ModelState one = trained(data, options);
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
    const learn::ModelState best = trained(data, options);
    options.backend = "scalar";
    EXPECT_TRUE(same_h(best.posterior, trained(data, options).posterior));
}

TEST(Trainer, StoppedAnywhereAndResumedGivesTheSameBytesAndHistory) {
    const Dataset data = blobs(300, 4, 4), test = blobs(100, 4, 5);
    const TrainOptions options = small_options();
    Trainer whole(initial_model(data, options), data, LabelledRows(test), options);
    ASSERT_TRUE(whole.run({}));
    for (const std::uint64_t stop : {1u, 77u, 256u, 300u, 301u, 555u, 600u, 899u}) {
        Trainer first(initial_model(data, options), data, LabelledRows(test), options);
        learn::ModelState saved;
        TrainPosition position;
        Trainer::Hooks hooks;
        hooks.every = stop;
        bool kept = false;
        hooks.checkpoint = [&] {
            if (kept) return;
            kept = true;
            saved = first.model().snapshot();
            position = first.position();
        };
        ASSERT_TRUE(first.run(hooks));
        ASSERT_TRUE(kept);
        ASSERT_EQ(position.epochs_done * 300 + position.sample, stop);
        Trainer second(saved, data, LabelledRows(test), options, position);
        ASSERT_TRUE(second.run({}));
        EXPECT_TRUE(
            same_h(whole.model().learner().posterior(), second.model().learner().posterior()))
            << stop;
        EXPECT_TRUE(
            same_h(whole.model().learner().posterior(), first.model().learner().posterior()))
            << stop;
        EXPECT_EQ(second.model().learner().samples_seen(), 900u);
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
    Trainer trainer(initial_model(data, options), data, std::nullopt, options);
    std::vector<std::size_t> seen;
    Trainer::Hooks hooks;
    hooks.progress = [&](const TrainProgress& progress) {
        seen.push_back(progress.sample);
        return progress.sample < 64;
    };
    EXPECT_FALSE(trainer.run(hooks));
    EXPECT_EQ(seen, (std::vector<std::size_t>{1, 2, 4, 8, 16, 32, 64}));
    EXPECT_EQ(trainer.model().learner().samples_seen(), 64u);
}

TEST(Trainer, EachEpochHasItsOwnOrderUnlessToldOtherwise) {
    const Dataset data = blobs(300, 3, 7);
    TrainOptions options = small_options();
    const learn::ModelState shuffled = trained(data, options);
    options.seed = 2;
    EXPECT_FALSE(same_h(shuffled.posterior, trained(data, options).posterior));
    options = small_options();
    options.shuffle = false;
    options.epochs = 1;
    Model in_order(trained(data, options));
    options.epochs = 2;
    Model twice(trained(data, options));
    in_order.update(data);
    // Two epochs end with a refresh of w, a pass of update() does not.
    for (std::size_t l = 0; l < 2; ++l) {
        EXPECT_TRUE(std::ranges::equal(in_order.posterior(l).values, twice.posterior(l).values));
    }
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
    EXPECT_TRUE(same_h(a.live().learner().posterior(), b.live().learner().posterior()));
    EXPECT_EQ(report.error_progressive, static_cast<double>(errors) / 60);
    EXPECT_EQ(a.samples_seen(), 180u);
}

TEST(Trainer, EvidenceMultipliesTheStepOfASample) {
    const Dataset data = blobs(50, 3, 10);
    const learn::ModelState start = initial_model(data, small_options());
    std::vector<double> row(12);
    data.copy_row(0, row);
    const auto learned = [&](double evidence) {
        learn::ModelState state = start;
        state.evidence = evidence;
        Model model(std::move(state));
        model.learn(row, data.class_names[data.labels[0]]);
        return model.live().learner().posterior();
    };
    const learn::Posterior once = learned(1), five_times = learned(5);
    double moved = 0;
    for (std::size_t l = 0; l < 2; ++l) {
        for (std::size_t k = 0; k < once.layers[l].learned.size(); ++k) {
            const float h = start.posterior.layers[l].learned[k];
            const float step = once.layers[l].learned[k] - h;
            moved += std::fabs(step);
            ASSERT_NEAR(five_times.layers[l].learned[k] - h, 5 * step, 2e-6);
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
    EXPECT_THROW(Trainer(initial_model(data, small_options()), data, std::nullopt, small_options(),
                         position),
                 Error);
}

/// A stream that comes in pieces of any size, and is saved and loaded in between, gives the same
/// bytes.
TEST(Trainer, UpdatesInPiecesThroughFilesGiveTheSameBytes) {
    const Dataset data = blobs(200, 3, 20), more = blobs(700, 3, 21);
    const learn::ModelState start = trained(data, small_options());
    Model whole(start);
    whole.update(more);
    for (const std::size_t piece : {1u, 37u, 256u, 500u}) {
        Model model(start);
        for (std::size_t first = 0; first < more.rows; first += piece) {
            std::vector<std::size_t> rows(std::min(piece, more.rows - first));
            std::iota(rows.begin(), rows.end(), first);
            model.update(more.select(rows));
            if (piece > 1) model = Model::from_bytes(model.to_bytes());
        }
        EXPECT_EQ(model.to_bytes(), whole.to_bytes()) << piece;
    }
}

/// The rows of blobs() with most values 0 and every column j moved to place[j].
Dataset scattered(const std::vector<std::uint32_t>& place, std::size_t features) {
    const Dataset dense = blobs(300, 3, 5);
    const auto& x = std::get<std::vector<double>>(dense.values);
    Dataset data = dense;
    SparseRows rows;
    for (std::size_t r = 0; r < dense.rows; ++r) {
        for (std::size_t j = 0; j < dense.features; ++j) {
            if ((r + j) % 3 != 0) continue;
            rows.column.push_back(place[j]);
            rows.value.push_back(static_cast<float>(x[r * dense.features + j]));
        }
        rows.row_start.push_back(rows.column.size());
    }
    data.kind = DataKind::kSparse;
    data.features = features;
    data.values = std::move(rows);
    return data;
}

TEST(Trainer, ColumnsThatNoSparseRowHasCostAndChangeNothing) {
    std::vector<std::uint32_t> near(12), far(12);
    std::iota(near.begin(), near.end(), 0u);
    for (std::uint32_t j = 0; j < 12; ++j) far[j] = 7 + j * 100000000;
    const Dataset compact = scattered(near, 12), wide = scattered(far, UINT32_MAX);
    TrainOptions options = small_options();
    options.preprocess = "auto";
    const auto a = train(compact, options, &compact), b = train(wide, options, &wide);
    const auto of = [](const TrainResult& run) { return run.model.live().snapshot(); };
    EXPECT_TRUE(same_h(of(a).posterior, of(b).posterior));
    EXPECT_EQ(a.model.predict(compact), b.model.predict(wide));
    EXPECT_EQ(a.history.back().test->error_map, b.history.back().test->error_map);
    EXPECT_EQ(b.model.features(), std::size_t{UINT32_MAX});
    EXPECT_EQ(b.model.reading().known.kept, far);
    const Model again = Model::from_bytes(b.model.to_bytes());
    EXPECT_EQ(again.predict(wide), b.model.predict(wide));
    EXPECT_EQ(again.to_bytes(), b.model.to_bytes());
    EXPECT_EQ(again.reading().known.kept, far);
    const PackedNetwork packed = PackedNetwork::from_bytes(PackedNetwork(b.model).to_bytes());
    EXPECT_EQ(packed.evaluate(wide).confusion, a.model.evaluate_clipped(compact).confusion);
    EXPECT_EQ(packed.scores(wide), PackedNetwork(a.model).scores(compact));
    EXPECT_EQ(packed.features(), std::size_t{UINT32_MAX});
    EXPECT_LT(b.model.to_bytes().size(), 20000u);
}

std::string refusal(const Dataset& data, const TrainOptions& options) {
    try {
        initial_model(data, options);
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::kData);
        return error.what();
    }
    return "";
}

TEST(Trainer, MemoryIsCheckedBeforeItIsTaken) {
    const Dataset data = blobs(100, 3, 1);
    TrainOptions options = small_options();
    options.tree = {1 << 24};
    options.max_memory = std::uint64_t{1} << 30;
    options.polish = 0;
    const std::string text = refusal(data, options);
    EXPECT_NE(text.find("about 16 GB"), text.npos) << text;
    EXPECT_NE(text.find("limit is 1.0 GB"), text.npos) << text;
    EXPECT_NE(text.find("`max_memory`"), text.npos) << text;
    options.tree = {9};
    EXPECT_EQ(refusal(data, options), "");
}

TEST(Trainer, SparseColumnsAreNotMadeDenseBeyondTheMemory) {
    std::vector<std::uint32_t> place(12);
    std::iota(place.begin(), place.end(), 0u);
    TrainOptions options = small_options();
    options.dense_ok = true;
    options.max_memory = std::uint64_t{1} << 30;
    EXPECT_NE(refusal(scattered(place, UINT32_MAX), options), "");
}

TEST(Trainer, ManyClassesWithFewRowsOrFractionsAreRefused) {
    TrainOptions options = small_options();
    EXPECT_EQ(refusal(blobs(505, 101, 1), options), "");
    EXPECT_EQ(refusal(blobs(200, 100, 1), options), "");
    const std::string few = refusal(blobs(504, 101, 1), options);
    EXPECT_NE(few.find("101 classes, and 504 rows are fewer than 5 per class"), few.npos) << few;
    Dataset real = blobs(1010, 101, 1);
    real.class_names[3] = "3.25";
    const std::string fraction = refusal(real, options);
    EXPECT_NE(fraction.find("fractions, e.g. \"3.25\""), fraction.npos) << fraction;
    EXPECT_NE(fraction.find("`classes_ok`"), fraction.npos) << fraction;
    options.classes_ok = true;
    EXPECT_EQ(refusal(real, options), "");
}

}  // namespace
}  // namespace bitbayes::training
