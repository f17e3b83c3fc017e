// Models that BackProp trained: rate, answers, figures, the clipped network, and going on learning.
#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "bitbayes/bitbayes.hpp"
#include "clip/clip.hpp"
#include "learn/backprop.hpp"
#include "learn/live_model.hpp"
#include "learn/metrics.hpp"
#include "packed/packed_answers.hpp"
#include "training/evaluate.hpp"
#include "training/trainer.hpp"

namespace bitbayes::learn {
namespace {

constexpr std::size_t kFeatures = 12;

/// Whole numbers around one centre per class.
Dataset integer_blobs(std::size_t rows, std::size_t classes, unsigned seed) {
    std::mt19937 engine(seed), centres(5);
    std::vector<double> centre(classes * kFeatures), values;
    for (double& c : centre) c = static_cast<double>(centres() % 60);
    Dataset data;
    data.name = "blobs";
    data.rows = rows;
    data.features = kFeatures;
    for (std::size_t r = 0; r < rows; ++r) {
        data.labels.push_back(static_cast<std::uint32_t>(r % classes));
        for (std::size_t j = 0; j < kFeatures; ++j) {
            values.push_back(centre[r % classes * kFeatures + j] +
                             static_cast<double>(engine() % 40));
        }
    }
    data.values = std::move(values);
    for (std::size_t k = 0; k < classes; ++k) data.class_names.push_back(std::to_string(k));
    return data;
}

TrainOptions backprop_options() {
    TrainOptions options;
    options.algorithm = Algorithm::kBackprop;
    options.tree = {9};
    options.epochs = 1;
    options.preprocess = "center";
    options.shuffle = false;
    return options;
}

/// One layer with W = 1 and no preprocessing: the u of a row are its columns.
ModelState transparent_model(std::size_t outputs) {
    ModelState model;
    model.architecture = Architecture::tree(outputs, {}, outputs);
    model.posterior = Posterior(model.architecture, Algorithm::kBackprop);
    for (std::size_t i = 0; i < outputs; ++i) model.posterior.layers[0].row(i)[i] = 1;
    model.learning_rate = 0.1;
    auto& p = model.preprocessing;
    p.bias = false;
    p.columns = {std::vector<double>(outputs, -9), std::vector<double>(outputs, 9),
                 std::vector<double>(outputs, 0), std::vector<std::uint8_t>(outputs, 0)};
    for (std::size_t k = 0; k < std::max<std::size_t>(2, outputs); ++k) {
        model.class_names.push_back(std::to_string(k));
    }
    return model;
}

Dataset rows_of(std::size_t features, std::vector<double> values,
                std::vector<std::uint32_t> labels) {
    Dataset data;
    data.name = "rows";
    data.rows = labels.size();
    data.features = features;
    data.values = std::move(values);
    data.labels = std::move(labels);
    for (std::size_t k = 0; k < std::max<std::size_t>(2, features); ++k) {
        data.class_names.push_back(std::to_string(k));
    }
    return data;
}

bool same_weights(const Model& a, const Model& b) {
    for (std::size_t l = 0; l < a.layers(); ++l) {
        if (!std::ranges::equal(a.posterior(l).values, b.posterior(l).values)) return false;
    }
    return true;
}

TEST(BackpropRate, IsThePapersUnlessGiven) {
    EXPECT_EQ(paper_learning_rate(3), 0.1);
    for (const std::size_t M : {5, 7, 9}) EXPECT_EQ(paper_learning_rate(M), 0.03);
    for (const std::size_t M : {21, 31, 51}) EXPECT_EQ(paper_learning_rate(M), 0.003);
    for (const std::size_t M : {101, 785}) EXPECT_EQ(paper_learning_rate(M), 0.001);

    const Dataset data = integer_blobs(30, 3, 1);
    TrainOptions options = backprop_options();
    EXPECT_EQ(training::initial_model(data, options).learning_rate,
              0.003);  // 12 columns and the constant
    options.learning_rate = 0.25;
    EXPECT_EQ(training::initial_model(data, options).rate(), 0.25f);
    options.algorithm = Algorithm::kMfb;
    options.learning_rate.reset();
    options.evidence = 2;
    const ModelState mfb = training::initial_model(data, options);
    EXPECT_EQ(mfb.learning_rate, 0);
    EXPECT_EQ(mfb.rate(), 2);
}

TEST(BackpropAnswer, HighestInputWinsAndOnePositiveOutputIsLegal) {
    const Answer three = real_answer(std::vector<float>{-1.5f, 0.5f, -0.25f});
    EXPECT_EQ(three.class_index, 1u);
    EXPECT_EQ(three.validity, 1);
    EXPECT_EQ(three.margin, 0.75);
    EXPECT_TRUE(std::isnan(three.probability));
    const Answer none = real_answer(std::vector<float>{-3, -2.5f});
    EXPECT_EQ(none.class_index, 1u);
    EXPECT_EQ(none.validity, 0);
    EXPECT_EQ(none.margin, 0.5);
    const Answer two = real_answer(std::vector<float>{2, 0, -1});  // sign(0) = +1
    EXPECT_EQ(two.validity, 0);
    EXPECT_EQ(two.margin, 2);
    for (const float u : {-0.75f, 0.0f, 3.0f}) {
        const Answer one = real_answer(std::vector<float>{u});
        EXPECT_EQ(one.class_index, u >= 0 ? 1u : 0u);
        EXPECT_EQ(one.validity, 1);
        EXPECT_EQ(one.margin, std::fabs(u));
        EXPECT_TRUE(std::isnan(one.probability));
    }
}

TEST(BackpropEvaluation, FiguresByHand) {
    const Model model(transparent_model(3));
    const Dataset data = rows_of(3,
                                 {0.5, -1, -2,       // right, one positive
                                  0.5, 0.25, -2,     // right, two positive
                                  -3, -2, -0.5,      // wrong, none positive
                                  -0.125, 4, -0.5},  // right, one positive
                                 {0, 0, 1, 1});
    const Evaluation e = model.evaluate(data, 2);
    EXPECT_EQ(e.rows, 4u);
    EXPECT_EQ(e.error_mean, 0.25);
    EXPECT_EQ(e.validity, 0.5);
    for (const double unknown : {e.nll, e.brier, e.ece}) EXPECT_TRUE(std::isnan(unknown));
    EXPECT_EQ(e.confusion.dense(),
              (std::vector<std::vector<std::uint64_t>>{{2, 0, 0}, {0, 1, 1}, {0, 0, 0}}));
    EXPECT_EQ(model.predict(data)[3].margin, 4.125);
    EXPECT_TRUE(std::isnan(model.predict(data)[3].probability));

    const Evaluation two =
        Model(transparent_model(1)).evaluate(rows_of(1, {1, -1, 2, 0.5}, {1, 0, 0, 1}));
    EXPECT_EQ(two.error_mean, 0.25);
    EXPECT_EQ(two.error_map, 0.25);  // W = 1 is its own sign
    EXPECT_EQ(two.validity, 1);
    EXPECT_TRUE(std::isnan(two.nll));
}

/// v = sign(sum_j sign(W_j) (x_j - m_j) / s + sign(W_c)), then the trees; nothing near a tie.
std::vector<long double> real_scores(const ModelState& model, std::span<const double> row,
                                     bool& near_tie) {
    const auto& p = model.preprocessing;
    std::vector<long double> v;
    for (std::size_t j = 0; j < row.size(); ++j) v.push_back((row[j] - p.mean[j]) / p.scale[0]);
    v.push_back(1);
    std::vector<long double> scores;
    for (const LayerPosterior& layer : model.posterior.layers) {
        const bool dense = layer.shape.connectivity == Connectivity::kDense;
        scores.clear();
        for (std::size_t i = 0; i < layer.shape.neurons; ++i) {
            long double sum = 0;
            for (std::size_t j = 0; j < layer.shape.fan_in; ++j) {
                const long double x = v[dense ? j : i * layer.shape.fan_in + j];
                sum += layer.row(i)[j] >= 0 ? x : -x;
            }
            if (dense && std::fabs(sum) < 1e-9L) near_tie = true;
            scores.push_back(sum);
        }
        v = scores;
        for (auto& x : v) x = x >= 0 ? 1 : -1;
    }
    return scores;
}

TEST(BackpropClipped, IsTheSignOfTheWeights) {
    const Dataset data = integer_blobs(200, 3, 2);
    for (const auto& tree : std::vector<std::vector<std::size_t>>{{7}, {4, 3}}) {
        TrainOptions options = backprop_options();
        options.tree = tree;
        const TrainResult trained = train(data, options);
        const ModelState model = trained.model.live().snapshot();
        ASSERT_TRUE(model.preprocessing.bias);
        ThreadTeam team(1);
        const packed::Network network = clip::clip(model);
        const auto clipped = packed::scores_of(packed::Engine(network), data, team);
        const auto answers = trained.model.predict(data, Mode::kMap);
        std::vector<double> row(kFeatures);
        std::size_t compared = 0;
        for (std::size_t r = 0; r < data.rows; ++r) {
            data.copy_row(r, row);
            bool near_tie = false;
            const auto expected = real_scores(model, row, near_tie);
            if (near_tie) continue;
            ++compared;
            const auto scores = std::span(clipped).subspan(3 * r, 3);
            for (std::size_t k = 0; k < 3; ++k) ASSERT_EQ(scores[k], expected[k]);
            ASSERT_EQ(answers[r].class_index, packed::Network::answer(scores).class_index);
        }
        EXPECT_GT(compared, 190u);
    }
}

TEST(BackpropModel, LearnsBlobs) {
    const Dataset data = integer_blobs(900, 3, 3), test = integer_blobs(300, 3, 4);
    TrainOptions options = backprop_options();
    options.learning_rate = 0.03;
    options.epochs = 3;
    const TrainResult result = train(data, options, &test);
    EXPECT_LT(result.history.back().test->error_mean, 0.02);
    EXPECT_TRUE(std::isnan(result.history.back().test->nll));
    EXPECT_LT(result.error_progressive, 0.2);
}

TEST(BackpropModel, UpdateGoesOnWithTheStoredRate) {
    const Dataset data = integer_blobs(300, 4, 6);
    TrainOptions options = backprop_options();
    options.learning_rate = 0.0625;
    Model updated(training::initial_model(data, options));
    const UpdateReport report = updated.update(data, 2);
    const TrainResult once = train(data, options);
    EXPECT_TRUE(same_weights(updated, once.model));
    EXPECT_EQ(report.error_progressive, once.error_progressive);

    updated.update(data);
    options.epochs = 2;
    EXPECT_TRUE(same_weights(updated, train(data, options).model));
    EXPECT_EQ(updated.samples_seen(), 600u);

    ModelState slower = once.model.live().snapshot();
    slower.learning_rate = 0.03125;
    Model other(std::move(slower));
    other.update(data);
    EXPECT_FALSE(same_weights(updated, other));
}

TEST(BackpropModel, OneSampleAtATimeIsTheSameAsAPass) {
    const Dataset data = integer_blobs(60, 3, 7);
    Model pass(training::initial_model(data, backprop_options())),
        single(training::initial_model(data, backprop_options()));
    pass.update(data);
    std::vector<double> row(kFeatures);
    for (std::size_t r = 0; r < data.rows; ++r) {
        data.copy_row(r, row);
        const Answer asked = single.predict(row);
        const Answer before = single.learn(row, data.class_names[data.labels[r]]);
        EXPECT_EQ(asked.class_index, before.class_index);
        EXPECT_EQ(asked.margin, before.margin);
        EXPECT_TRUE(std::isnan(before.probability));
    }
    EXPECT_TRUE(same_weights(pass, single));
}

}  // namespace
}  // namespace bitbayes::learn
