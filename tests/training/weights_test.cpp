// Rows that count more or less than once, and classes that do.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "../base/temp_folder.hpp"
#include "bitbayes/bitbayes.hpp"
#include "kernels/table.hpp"
#include "learn/live_model.hpp"
#include "training/blobs.hpp"
#include "training/row_weights.hpp"
#include "training/trainer.hpp"

namespace bitbayes::training {
namespace {

using test::blobs;
using test::small_options;

const std::vector<std::vector<std::size_t>> kTrees{{9}, {}, {5, 3}};

TrainOptions options_of(Algorithm algorithm, std::vector<std::size_t> tree) {
    TrainOptions options = small_options();
    options.algorithm = algorithm;
    options.tree = std::move(tree);
    return options;
}

std::vector<std::vector<float>> learned(const Model& model) {
    std::vector<std::vector<float>> out;
    for (const auto& layer : model.live().learner().posterior().layers)
        out.push_back(layer.learned);
    return out;
}

TEST(Weights, OneIsAsIfThereWereNone) {
    const Dataset plain = blobs(150, 3, 1);
    Dataset weighted = plain;
    weighted.weights.assign(plain.rows, 1.0f);
    for (const auto algorithm : {Algorithm::kMfb, Algorithm::kBackprop}) {
        for (const auto& tree : kTrees) {
            const TrainOptions options = options_of(algorithm, tree);
            EXPECT_EQ(train(plain, options).model.to_bytes(),
                      train(weighted, options).model.to_bytes());
        }
    }
}

TEST(Weights, TwoIsTwiceTheEvidenceOfThatRow) {
    const Dataset data = blobs(100, 3, 1), more = blobs(40, 3, 2);
    for (const auto algorithm : {Algorithm::kMfb, Algorithm::kBackprop}) {
        for (const auto& tree : kTrees) {
            const Model start = train(data, options_of(algorithm, tree)).model;
            Dataset weighted = more;
            for (std::size_t r = 0; r < more.rows; ++r) {
                weighted.weights.push_back(r % 3 == 0 ? 2.0f : 1.0f);
            }
            Model in_one = start.clone(), step_by_step = start.clone();
            in_one.update(weighted);
            for (std::size_t r = 0; r < more.rows; ++r) {
                learn::ModelState state = step_by_step.live().snapshot();
                const learn::ModelState once = start.live().description();
                state.evidence = once.evidence * weighted.weights[r];
                state.learning_rate = once.learning_rate * weighted.weights[r];
                step_by_step = Model(std::move(state));
                const std::vector<std::size_t> row{r};
                step_by_step.update(more.select(row));
            }
            EXPECT_EQ(learned(in_one), learned(step_by_step));
        }
    }
}

TEST(Weights, ZeroLeavesTheNetworkAsItIs) {
    const Dataset data = blobs(100, 3, 1);
    Dataset more = blobs(60, 3, 2);
    more.weights.assign(more.rows, 0.0f);
    for (const auto algorithm : {Algorithm::kMfb, Algorithm::kBackprop}) {
        for (const auto& tree : kTrees) {
            const Model start = train(data, options_of(algorithm, tree)).model;
            Model updated = start.clone();
            updated.update(more);
            EXPECT_EQ(learned(updated), learned(start));
            EXPECT_EQ(updated.predict(data)[7].margin, start.predict(data)[7].margin);
            EXPECT_EQ(updated.samples_seen(), start.samples_seen() + more.rows);
        }
    }
}

/// A mix of steps of every size: the same bytes on every path, and w stays near tanh h.
TEST(Weights, OfAnySizeKeepTheMeansNearTheirFunction) {
    Dataset data = blobs(250, 2, 3);
    std::mt19937 engine(4);
    std::uniform_real_distribution<float> exponent(-6, 3);
    for (std::size_t r = 0; r < data.rows; ++r) {
        data.weights.push_back(r % 7 == 0 ? 0 : std::pow(10.0f, exponent(engine)));
    }
    TrainOptions options = small_options();
    options.tree = {33};
    options.preprocess = "thermometer:20";
    const learn::ModelState start = initial_model(data, options);
    std::vector<std::size_t> order(data.rows);
    std::iota(order.begin(), order.end(), 0u);
    std::vector<std::vector<float>> seen;
    for (const learn::Context& context :
         {learn::Context{1, "auto"}, learn::Context{3, "auto"}, learn::Context{1, "scalar"}}) {
        learn::LiveModel model(start, context);
        model.learn(
            data, order, data.labels, [](auto...) {}, data.weights);
        const learn::LayerPosterior layer = model.learner().posterior().layers[0];
        ASSERT_FALSE(layer.carried.empty());
        float drift = 0;
        for (std::size_t k = 0; k < layer.learned.size(); ++k) {
            drift = std::max(drift, std::fabs(layer.carried[k] - std::tanh(layer.learned[k])));
        }
        EXPECT_LE(drift, kernels::kMaxDrift);
        seen.push_back(layer.carried);
    }
    EXPECT_EQ(seen[0], seen[1]);
    EXPECT_EQ(seen[0], seen[2]);
}

TEST(Weights, BadOnesAreNamedByTheirRow) {
    const Model start = train(blobs(100, 3, 1), small_options()).model;
    for (const float bad : {-1.0f, std::numeric_limits<float>::quiet_NaN(),
                            std::numeric_limits<float>::infinity(), 2e9f}) {
        Dataset data = blobs(50, 3, 2);
        data.weights.assign(data.rows, 1.0f);
        data.weights[13] = bad;
        Model model = start.clone();
        for (const bool update : {false, true}) {
            try {
                update ? void(model.update(data)) : void(train(data, small_options()));
                FAIL() << bad;
            } catch (const Error& error) {
                EXPECT_EQ(error.code(), ErrorCode::kData);
                EXPECT_NE(std::string(error.what()).find("row 13"), std::string::npos)
                    << error.what();
            }
        }
    }
    const Dataset data = blobs(50, 3, 2);
    LabelledRows rows(data);
    const std::vector<float> few(49, 1.0f);
    rows.weights = few;
    EXPECT_THROW(train(rows, small_options()), Error);
}

/// Two overlapping classes, one row in fifty of class "rare".
Dataset imbalanced(std::size_t rows, unsigned seed) {
    std::mt19937 engine(seed);
    std::normal_distribution<double> normal;
    Dataset data;
    data.name = "imbalanced";
    data.rows = rows;
    data.features = 4;
    data.class_names = {"common", "rare"};
    std::vector<double> values;
    for (std::size_t r = 0; r < rows; ++r) {
        const bool rare = r % 50 == 0;
        data.labels.push_back(rare);
        for (int j = 0; j < 4; ++j) values.push_back(normal(engine) + (rare && j < 2 ? 1.5 : 0));
    }
    data.values = values;
    return data;
}

TEST(Weights, BalancedRaisesTheRecallOfARareClass) {
    const Dataset data = imbalanced(3000, 1), test = imbalanced(3000, 2);
    TrainOptions options = small_options();
    options.epochs = 5;
    const Evaluation plain = train(data, options).model.evaluate(test);
    options.class_weight = "balanced";
    const Evaluation balanced = train(data, options).model.evaluate(test);
    std::printf("recall of a class of 2 %%: %.3f, balanced %.3f; of the other: %.3f, %.3f\n",
                plain.per_class[1].recall, balanced.per_class[1].recall, plain.per_class[0].recall,
                balanced.per_class[0].recall);
    EXPECT_GT(balanced.per_class[1].recall, plain.per_class[1].recall + 0.3);
    EXPECT_GT(balanced.macro.recall, plain.macro.recall + 0.1);
}

TEST(Weights, OfClassesMultiplyThoseOfRows) {
    Dataset data = blobs(8, 2, 1);
    data.labels = {0, 0, 0, 0, 0, 0, 1, 1};
    data.class_names = {"0", "1", "none of the rows"};
    data.weights = {1, 1, 1, 1, 1, 3, 1, 5};
    EXPECT_EQ(row_weights(data, ""), data.weights);
    const auto balanced = row_weights(data, "balanced");  // 8 / (2 * 6), 8 / (2 * 2)
    EXPECT_FLOAT_EQ(balanced[0], 2.0f / 3);
    EXPECT_FLOAT_EQ(balanced[5], 2);
    EXPECT_FLOAT_EQ(balanced[6], 2);
    EXPECT_FLOAT_EQ(balanced[7], 10);
    const std::vector<std::pair<std::string, double>> some{{"+1", 4}};
    EXPECT_EQ(row_weights(data, some), (std::vector<float>{1, 1, 1, 1, 1, 3, 4, 20}));
    data.weights.clear();
    EXPECT_TRUE(row_weights(data, "").empty());
    for (const std::pair<std::string, double>& bad :
         {std::pair<std::string, double>{"2", 1}, {"0", -1}, {"0", std::nan("")}}) {
        const std::vector<std::pair<std::string, double>> one{bad};
        EXPECT_THROW(row_weights(data, one), Error) << bad.first;
    }
    TrainOptions options = small_options();
    options.class_weight = "weights.csv";
    EXPECT_THROW(train(data, options), Error);
}

TEST(Weights, AResumedRunKeepsThem) {
    Dataset data = imbalanced(300, 1);
    for (std::size_t r = 0; r < data.rows; ++r) data.weights.push_back(r % 4 * 0.5f);
    TrainOptions options = small_options();
    options.class_weight = "balanced";
    const test::TempFolder folder;
    const std::string path = folder / "c";
    bitbayes::Trainer first(data, options);
    TrainCallbacks stop;
    stop.progress = [](const TrainProgress& now) { return now.sample < 200; };
    EXPECT_FALSE(first.run(stop));
    first.save_checkpoint(path);
    bitbayes::Trainer second = bitbayes::Trainer::resume(path, data, options);
    EXPECT_TRUE(second.run());
    EXPECT_EQ(second.model().to_bytes(), train(data, options).model.to_bytes());

    Dataset other = data;
    other.weights[3] += 1;
    EXPECT_THROW(bitbayes::Trainer::resume(path, other, options), Error);
    options.class_weight.clear();
    EXPECT_THROW(bitbayes::Trainer::resume(path, data, options), Error);
}

}  // namespace
}  // namespace bitbayes::training
