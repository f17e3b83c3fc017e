// What training leaves to the data: epochs by the number of rows, evidence by trials.
#include "training/choose.hpp"

#include <gtest/gtest.h>

#include "../base/temp_folder.hpp"
#include "bitbayes/bitbayes.hpp"
#include "data/teacher.hpp"
#include "training/blobs.hpp"
#include "training/trainer.hpp"

namespace bitbayes::training {
namespace {

using test::blobs;
using test::with_wrong_labels;

const std::vector<std::vector<std::size_t>> kDense{{}, {20}};  // a tree, a dense network

/// Evidence and epochs are left to the data.
TrainOptions open_options(const std::vector<std::size_t>& dense) {
    TrainOptions options;
    options.dense = dense;
    if (dense.empty()) options.tree = {9};
    options.preprocess = "center";
    return options;
}

TEST(Choose, EpochsByTheNumberOfRows) {
    const auto epochs = [](std::size_t rows, const TrainOptions& asked = {}) {
        return *decided(asked, blobs(rows, 2, 1)).epochs;
    };
    EXPECT_EQ(epochs(10), 40u);
    EXPECT_EQ(epochs(500), 40u);
    EXPECT_EQ(epochs(2000), 30u);
    EXPECT_EQ(epochs(5000), 20u);
    EXPECT_EQ(epochs(200000), 20u);
    EXPECT_EQ(epochs(400000), 10u);
    EXPECT_EQ(epochs(500, {.epochs = 7}), 7u);
    EXPECT_EQ(epochs(500, {.algorithm = Algorithm::kBackprop}), 10u);
}

TEST(Choose, GivesTheBytesOfItsNumbers) {
    const Dataset data = with_wrong_labels(blobs(150, 3, 1), 0.1);
    for (const auto& dense : kDense) {
        bitbayes::Trainer open(data, open_options(dense));
        open.run();
        EXPECT_GE(open.trials().size(), 2u);
        EXPECT_LE(open.trials().size(), 4u);
        EXPECT_GT(open.seconds_auto(), 0);
        TrainOptions given = open_options(dense);
        given.epochs = open.options().epochs;
        given.evidence = open.options().evidence.first;
        bitbayes::Trainer again(data, given);
        again.run();
        EXPECT_TRUE(again.trials().empty());
        EXPECT_EQ(again.model().to_bytes(), open.model().to_bytes());
        const Choice twice = choose(data, open.options());
        EXPECT_EQ(twice.options, open.options());
        EXPECT_TRUE(twice.trials.empty());
    }
}

TEST(Choose, TheDefaultNetworkIsThatOfItsNumbers) {
    const Dataset data = blobs(110, 2, 1);
    bitbayes::Trainer open(data, {.threads = 2});
    open.run();
    TrainOptions given{.dense = {1024}, .epochs = 40};
    given.evidence = open.options().evidence.first;
    EXPECT_EQ(train(data, given).model.to_bytes(), open.model().to_bytes());
}

TEST(Choose, TheWinnerAnsweredBest) {
    for (const double share : {0.0, 0.3}) {
        const Dataset data = with_wrong_labels(blobs(600, 3, 1), share);
        for (const auto& dense : kDense) {
            const Choice choice = choose(data, open_options(dense));
            double best = 0, nll = std::numeric_limits<double>::infinity();
            for (const EvidenceTrial& trial : choice.trials) {
                if (trial.nll < nll) {
                    best = trial.evidence;
                    nll = trial.nll;
                }
            }
            EXPECT_EQ(choice.options.evidence, Evidence(best));
            EXPECT_LE(choice.trials.size(), 4u);
        }
    }
}

TEST(Choose, WrongLabelsAskForLessEvidence) {
    for (const auto& dense : kDense) {
        const auto evidence = [&](double share) {
            const Dataset data = with_wrong_labels(blobs(1000, 2, 1), share);
            return choose(data, open_options(dense)).options.evidence.first;
        };
        EXPECT_LT(evidence(0.3), evidence(0));
    }
}

TEST(Choose, ThreadsAndLevelsDoNotMatter) {
    const Dataset data = with_wrong_labels(blobs(400, 4, 1), 0.1);
    for (const auto& dense : kDense) {
        TrainOptions options = open_options(dense);
        options.preprocess = "thermometer:20";  // enough work for several threads
        options.epochs = 3;
        options.threads = 1;
        const Choice one = choose(data, options);
        for (const unsigned threads : {2u, 5u}) {
            options.threads = threads;
            EXPECT_EQ(choose(data, options).trials, one.trials) << threads;
        }
        options.backend = "scalar";
        EXPECT_EQ(choose(data, options).trials, one.trials);
        options.seed = 2;
        EXPECT_NE(choose(data, options).trials, one.trials);
    }
}

TEST(Choose, StoppedItTakesTheBestSoFar) {
    const Dataset data = with_wrong_labels(blobs(1000, 2, 1), 0.3);
    for (const auto& dense : kDense) {
        std::size_t blocks = 0;
        const Choice whole =
            choose(data, open_options(dense), {.go_on = [&] { return ++blocks > 0; }});
        EXPECT_EQ(whole.trials, choose(data, open_options(dense)).trials);
        const std::size_t of_trial = blocks / whole.trials.size();
        for (const std::size_t stop : {std::size_t{0}, of_trial - 1, of_trial + 1, blocks}) {
            std::size_t left = stop;
            const Choice part =
                choose(data, open_options(dense), {.go_on = [&] { return left-- > 0; }});
            ASSERT_EQ(part.trials.size(), stop / of_trial) << stop;
            EXPECT_TRUE(std::equal(part.trials.begin(), part.trials.end(), whole.trials.begin()));
            if (part.trials.size() < 2) {
                EXPECT_EQ(part.options, decided(open_options(dense), data));
            }
        }
    }
}

TEST(Choose, TriesOnlyWhatIsOpen) {
    const Dataset data = blobs(100, 3, 1), few = blobs(99, 3, 1);
    for (const auto& dense : kDense) {
        EXPECT_FALSE(choose(data, open_options(dense)).trials.empty());
        const Choice too_few = choose(few, open_options(dense));
        EXPECT_TRUE(too_few.trials.empty());
        EXPECT_EQ(too_few.options, decided(open_options(dense), few));
        TrainOptions options = open_options(dense);
        options.epochs = 3;
        EXPECT_EQ(choose(data, options).options.epochs, 3u);
        EXPECT_FALSE(choose(data, options).trials.empty());
        options.evidence = {0.1, 2};
        EXPECT_TRUE(choose(data, options).trials.empty());
        EXPECT_EQ(choose(data, options).options.evidence, Evidence(0.1, 2));
        options = open_options(dense);
        options.algorithm = Algorithm::kBackprop;
        EXPECT_TRUE(choose(data, options).trials.empty());
        EXPECT_EQ(choose(data, options).options.evidence, 1);
    }
    const auto teacher = data::make_teacher(7, 1, 200, 10).train;
    EXPECT_TRUE(choose(teacher, training::default_options(teacher)).trials.empty());
}

TEST(Choose, TestRowsAreNotLookedAt) {
    const Dataset data = blobs(150, 3, 1), test = blobs(60, 3, 2),
                  other = with_wrong_labels(blobs(60, 3, 3), 1);
    for (const auto& dense : kDense) {
        const TrainOptions options = open_options(dense);
        const std::string bytes = train(data, options).model.to_bytes();
        EXPECT_EQ(train(data, options, &test).model.to_bytes(), bytes);
        EXPECT_EQ(train(data, options, &other).model.to_bytes(), bytes);
    }
}

TEST(Choose, RowsOfWeightZeroDoNotVote) {
    Dataset data = blobs(200, 3, 1), wrong = with_wrong_labels(data, 0.3);
    for (std::size_t r = 0; r < data.rows; ++r) {
        data.weights.push_back(wrong.labels[r] == data.labels[r] ? 1 : 0);
    }
    wrong.weights = data.weights;
    for (const auto& dense : kDense) {
        EXPECT_EQ(choose(wrong, open_options(dense)).trials,
                  choose(data, open_options(dense)).trials);
        wrong.weights.clear();
        EXPECT_NE(choose(wrong, open_options(dense)).trials,
                  choose(data, open_options(dense)).trials);
        wrong.weights = data.weights;
    }
}

TEST(Choose, AResumedRunKeepsTheChoice) {
    const Dataset data = with_wrong_labels(blobs(150, 3, 1), 0.1);
    const test::TempFolder folder;
    for (const auto& dense : kDense) {
        const TrainOptions options = open_options(dense);
        const std::string whole = train(data, options).model.to_bytes();
        bitbayes::Trainer first(data, options);
        TrainCallbacks callbacks;
        callbacks.checkpoint = folder / "c";
        callbacks.every = 70;
        callbacks.progress = [](const TrainProgress& now) { return now.epoch < 3; };
        EXPECT_FALSE(first.run(callbacks));
        bitbayes::Trainer again = bitbayes::Trainer::resume(folder / "c", data, options);
        EXPECT_EQ(again.options(), first.options());
        EXPECT_TRUE(again.trials().empty());
        EXPECT_TRUE(again.run());
        EXPECT_EQ(again.model().to_bytes(), whole);
    }
}

}  // namespace
}  // namespace bitbayes::training
