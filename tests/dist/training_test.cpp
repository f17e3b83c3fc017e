// One training over several ranks gives the model file of one process, byte for byte, and so does a
// checkpoint that another number of ranks goes on from.
#include <gtest/gtest.h>

#include <string>

#include "base/temp_folder.hpp"
#include "bitbayes/train.hpp"
#include "bitbayes/types/error.hpp"
#include "dist/collectives.hpp"
#include "dist/thread_ranks.hpp"
#include "learn/live_model.hpp"
#include "model/model_file.hpp"
#include "training/blobs.hpp"
#include "training/evaluate.hpp"

namespace bitbayes {
namespace {

using dist::Communicator;
using test::ThreadRanks;

struct Case {
    const char* name;
    std::size_t classes;
    TrainOptions options;
};

std::vector<Case> cases() {
    TrainOptions tree{.tree = {20}, .epochs = 2, .threads = 1, .evidence = 1, .polish = 2};
    TrainOptions deep = tree;
    deep.tree = {5, 3};
    deep.label_noise = std::nullopt;
    deep.memory = 300;
    TrainOptions automatic = tree;
    automatic.evidence = Evidence::by_default();
    TrainOptions backprop = tree;
    backprop.algorithm = Algorithm::kBackprop;
    TrainOptions dense = tree;
    dense.tree = {};
    dense.dense = {40, 33};
    dense.batch = 17;
    TrainOptions mixed = dense;
    mixed.dense = {50};
    mixed.tree = {4};
    mixed.dropout = {0.1, 0.2};
    mixed.memory = 500;
    TrainOptions few = dense;
    few.batch = 3;
    TrainOptions gradient = dense;
    gradient.algorithm = Algorithm::kBackprop;
    return {{"tree", 4, tree},      {"one tree", 2, tree},     {"deep", 5, deep},
            {"auto", 4, automatic}, {"backprop", 3, backprop}, {"dense", 4, dense},
            {"mixed", 4, mixed},    {"few rows", 2, few},      {"dense backprop", 3, gradient}};
}

std::string file_of(const Trainer& trainer, const std::string& path, Communicator& ranks) {
    model::save_model(path, trainer.live().snapshot(), Existing::kReplace, ranks);
    ranks.barrier();
    return test::slurp(path);
}

TEST(SharedTraining, TheFileIsThatOfOneProcess) {
    const test::TempFolder folder;
    for (const Case& each : cases()) {
        SCOPED_TRACE(each.name);
        const Dataset data = test::blobs(110, each.classes, 1),
                      other = test::blobs(40, each.classes, 2);
        Trainer alone(data, each.options, LabelledRows(other));
        alone.run();
        const std::string expected = file_of(alone, folder / "alone", dist::alone());
        for (const std::size_t size : {2u, 3u, 7u}) {
            ThreadRanks(size).run([&](Communicator& ranks) {
                Trainer shared(data, each.options, LabelledRows(other), {}, &ranks);
                shared.run();
                EXPECT_EQ(file_of(shared, folder / "shared", ranks), expected) << size;
                EXPECT_EQ(shared.error_progressive(), alone.error_progressive());
                EXPECT_EQ(shared.final_test()->error_map, alone.final_test()->error_map);
                EXPECT_EQ(shared.final_test()->error_mean, alone.final_test()->error_mean);
            });
        }
    }
}

TEST(SharedTraining, EachRankHoldsItsTreesAlone) {
    const Dataset data = test::blobs(50, 5, 1);
    const TrainOptions options{.tree = {8}, .epochs = 1, .threads = 1, .evidence = 1, .polish = 0};
    ThreadRanks(3).run([&](Communicator& ranks) {
        const Trainer trainer(data, options, std::nullopt, {}, &ranks);
        const learn::ModelState own = trainer.live().snapshot();
        EXPECT_EQ(own.posterior.layers.back().shape.neurons, ranks.rank() == 2 ? 1u : 2u);
        EXPECT_EQ(own.posterior.first_tree, 2 * ranks.rank());
    });
}

TEST(SharedTraining, AnotherNumberOfRanksGoesOn) {
    const test::TempFolder folder;
    for (const Case& each : cases()) {
        SCOPED_TRACE(each.name);
        const Dataset data = test::blobs(90, each.classes, 1);
        Trainer alone(data, each.options);
        alone.run();
        const std::string expected = file_of(alone, folder / "alone", dist::alone());
        const auto until = [&](std::size_t sample) {
            TrainCallbacks callbacks;
            callbacks.checkpoint = folder / "checkpoint";
            callbacks.every = 40;
            callbacks.progress = [sample](const TrainProgress& now) {
                return (now.epoch - 1) * now.samples_per_epoch + now.sample < sample;
            };
            return callbacks;
        };
        ThreadRanks(3).run([&](Communicator& ranks) {
            Trainer first(data, each.options, std::nullopt, {}, &ranks);
            EXPECT_FALSE(first.run(until(60)));
            first.save_checkpoint(folder / "checkpoint");
            ranks.barrier();
        });
        ThreadRanks(2).run([&](Communicator& ranks) {
            Trainer second =
                Trainer::resume(folder / "checkpoint", data, each.options, std::nullopt, &ranks);
            EXPECT_FALSE(second.run(until(130)));
            second.save_checkpoint(folder / "checkpoint");
            ranks.barrier();
        });
        Trainer last = Trainer::resume(folder / "checkpoint", data, each.options);
        last.run();
        EXPECT_EQ(file_of(last, folder / "last", dist::alone()), expected);
    }
}

TEST(SharedTraining, WeightsThatOverflowStopEveryRank) {
    const Dataset data = test::blobs(150, 4, 1);
    for (const std::vector<std::size_t>& dense : {std::vector<std::size_t>{}, {20}}) {
        TrainOptions options{.tree = {5}, .epochs = 3, .threads = 1, .polish = 0};
        options.algorithm = Algorithm::kBackprop;
        options.learning_rate = 1e30;
        options.dense = dense;
        ThreadRanks ranks(3);
        EXPECT_THROW(ranks.run([&](Communicator& own) {
            Trainer(data, options, std::nullopt, {}, &own).run();
        }),
                     Error);
        EXPECT_EQ(ranks.failures(), 3u);
    }
}

}  // namespace
}  // namespace bitbayes
