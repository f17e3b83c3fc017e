// Models of several members: their answers are the average of the members', their clipped network is
// the committee that is packed, and whatever they learn the members would have learned alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/temp_folder.hpp"
#include "bitbayes/bitbayes.hpp"
#include "learn/live_model.hpp"
#include "model/expect_error.hpp"
#include "packed/network.hpp"
#include "training/blobs.hpp"

namespace bitbayes {
namespace {

using test::blobs;
using test::error_of;
using test::TempFolder;
using test::with_wrong_labels;

constexpr std::size_t kMembers = 3;

/// Little work: sanitizers are slow.
TrainOptions small_options() {
    TrainOptions options = test::small_options();
    options.epochs = 1;
    options.polish = 1;
    return options;
}

std::vector<Model> singles(const Dataset& data, TrainOptions options = small_options()) {
    std::vector<Model> models;
    for (std::size_t m = 0; m < kMembers; ++m) {
        models.push_back(train(data, options).model);
        ++options.seed;
    }
    return models;
}

Model together(const std::vector<Model>& models) {
    std::vector<learn::ModelState> states;
    for (const Model& model : models) states.push_back(model.live().snapshot());
    return Model(std::move(states));
}

/// Labels that are often wrong, so that members disagree.
Dataset noisy(std::size_t rows, std::size_t classes, unsigned seed) {
    return with_wrong_labels(blobs(rows, classes, seed), 0.4);
}

TrainOptions noisy_options() {
    TrainOptions options = small_options();
    options.label_noise = std::nullopt;
    return options;
}

TEST(Members, AnswersAreTheMeanOfTheMembers) {
    std::size_t disagreements = 0;
    for (const std::size_t classes : {2u, 4u}) {
        const Dataset data = noisy(300, classes, 1);
        const auto models = singles(data, noisy_options());
        const Model all = together(models);
        ASSERT_EQ(all.members(), kMembers);
        const auto answers = all.predict(data);
        const auto probabilities = all.probabilities(data);
        std::vector<std::vector<double>> each;
        std::vector<std::vector<Answer>> answer_of;
        for (const Model& model : models) {
            each.push_back(model.probabilities(data));
            answer_of.push_back(model.predict(data));
        }
        for (std::size_t r = 0; r < data.rows; ++r) {
            std::vector<double> mean(classes);
            double validity = 0;
            for (std::size_t m = 0; m < kMembers; ++m) {
                for (std::size_t k = 0; k < classes; ++k) mean[k] += each[m][r * classes + k];
                validity += answer_of[m][r].validity;
                disagreements += answer_of[m][r].class_index != answers[r].class_index;
            }
            for (double& p : mean) p /= kMembers;
            ASSERT_TRUE(std::equal(mean.begin(), mean.end(), &probabilities[r * classes]));
            const auto winner = std::max_element(mean.begin(), mean.end());
            EXPECT_EQ(answers[r].class_index, winner - mean.begin());
            EXPECT_EQ(answers[r].probability, *winner);
            EXPECT_EQ(answers[r].validity, validity / kMembers);
        }
    }
    EXPECT_GT(disagreements, 0u);  // else this shows little
}

TEST(Members, TheMarginIsThatOfTheMeanOutputs) {
    for (const std::size_t classes : {2u, 4u}) {
        const Dataset data = noisy(120, classes, 1);
        const auto models = singles(data);
        const auto answers = together(models).predict(data);
        const std::size_t outputs = classes == 2 ? 1 : classes;
        const std::vector<std::size_t> rows{0, 7, 111};
        std::vector<double> z(rows.size() * outputs);
        for (const Model& model : models) {
            model.live().answer(data, rows, [&](std::size_t, std::span<const float> its) {
                for (std::size_t k = 0; k < z.size(); ++k) z[k] += double{its[k]} / kMembers;
            });
        }
        for (std::size_t r = 0; r < rows.size(); ++r) {
            const std::uint32_t winner = answers[rows[r]].class_index;
            double margin = winner == 1 ? z[r] : -z[r];
            if (outputs > 1) {
                std::vector<double> own(&z[r * outputs], &z[r * outputs] + outputs);
                const double best = std::exchange(own[winner], -HUGE_VAL);
                margin = best - *std::max_element(own.begin(), own.end());
            }
            EXPECT_NEAR(answers[rows[r]].margin, margin, 1e-6);
        }
    }
}

TEST(Members, TheClippedNetworkIsThePackedCommittee) {
    for (const std::size_t classes : {2u, 4u}) {
        const Dataset data = noisy(300, classes, 1), other = noisy(120, classes, 2);
        const auto models = singles(data);
        const Model all = together(models);
        const PackedNetwork packed(all);
        EXPECT_EQ(packed.network().members.size(), kMembers);
        const auto answers = all.predict(other, Mode::kMap);
        const auto shipped = packed.predict(other);
        EXPECT_EQ(all.evaluate(other).error_map, packed.evaluate(other).error_map);
        EXPECT_EQ(all.evaluate_clipped(other).error_map, packed.evaluate(other).error_map);
        const std::size_t outputs = packed.network().outputs();
        std::vector<std::int64_t> total(other.rows * outputs);
        for (const Model& model : models) {
            const auto scores = PackedNetwork(model).scores(other);
            for (std::size_t k = 0; k < total.size(); ++k) total[k] += scores[k];
        }
        EXPECT_EQ(packed.scores(other), total);
        for (std::size_t r = 0; r < other.rows; ++r) {
            EXPECT_EQ(answers[r].class_index, shipped[r].class_index);
            EXPECT_EQ(answers[r].margin, shipped[r].margin);
            EXPECT_EQ(answers[r].validity, shipped[r].validity);
            const auto sums = std::span(total).subspan(r * outputs, outputs);
            const auto sum = packed::Network::answer(sums);
            EXPECT_EQ(answers[r].class_index, sum.class_index);
            EXPECT_EQ(answers[r].margin, static_cast<double>(sum.margin));
        }
        const PackedNetwork drawn(all, {.draws = 2, .seed = 5});
        EXPECT_EQ(drawn.network().members.size(), kMembers * 3);
        EXPECT_NE(drawn.network().members[1][0].bits, drawn.network().members[4][0].bits);
    }
}

TEST(Members, EvaluationCountsTheAverages) {
    const Dataset data = noisy(300, 3, 1), other = noisy(120, 3, 2);
    const Model all = together(singles(data));
    const Evaluation evaluation = all.evaluate(other);
    const auto answers = all.predict(other);
    const auto probabilities = all.probabilities(other);
    double wrong = 0, nll = 0;
    for (std::size_t r = 0; r < other.rows; ++r) {
        wrong += answers[r].class_index != other.labels[r];
        nll -= std::log(std::max(probabilities[r * 3 + other.labels[r]], 1e-12));
    }
    EXPECT_EQ(evaluation.error_mean, wrong / static_cast<double>(other.rows));
    EXPECT_NEAR(evaluation.nll, nll / static_cast<double>(other.rows), 1e-12);
}

/// One member gives what a model alone gives.
void expect_same(const Model& all, const std::vector<Model>& models) {
    for (std::size_t m = 0; m < models.size(); ++m) {
        EXPECT_EQ(all.member(m).to_bytes(), models[m].to_bytes()) << m;
    }
}

TEST(Members, LearnAsTheyWouldAlone) {
    const Dataset data = noisy(120, 3, 1), more = noisy(300, 3, 2);
    auto models = singles(data, noisy_options());
    Model all = together(models);
    expect_same(all, models);
    std::vector<double> row(more.features);
    more.copy_row(0, row);
    const Answer before = all.predict(row);
    EXPECT_EQ(all.learn(row, "1"), before);
    all.update(more, 1);
    all.set_memory(50);
    all.update(more);
    all.add_class("new");
    all.learn(row, "new");
    all.polish(more, 2);
    EXPECT_EQ(all.memory(), 50u);
    EXPECT_EQ(all.class_names().back(), "new");
    for (Model& model : models) {
        model.learn(row, "1");
        model.update(more, 1);
        model.set_memory(50);
        model.update(more);
        model.add_class("new");
        model.learn(row, "new");
        model.polish(more, 2);
    }
    expect_same(all, models);
}

TEST(Members, UpdateCountsErrorsOfTheAverage) {
    const Dataset data = noisy(120, 3, 1), more = noisy(300, 3, 2);
    Model all = together(singles(data)), twin = all.clone();
    std::size_t errors = 0;
    for (std::size_t r = 0; r < more.rows; ++r) {
        std::vector<double> row(more.features);
        more.copy_row(r, row);
        const std::string label = more.class_names[more.labels[r]];
        errors += twin.learn(row, label).class_index != more.labels[r];
    }
    const UpdateReport report = all.update(more);
    EXPECT_EQ(report.error_progressive,
              static_cast<double>(errors) / static_cast<double>(more.rows));
    EXPECT_EQ(all.to_bytes(), twin.to_bytes());
}

TEST(Members, CopiesBytesAndFiles) {
    const TempFolder folder;
    const auto models = singles(blobs(120, 3, 1));
    const Model all = together(models);
    all.save(folder / "m.bb");
    EXPECT_EQ(test::slurp(folder / "m.bb"), all.to_bytes());
    const Model loaded = Model::load(folder / "m.bb"), copy = all.clone();
    const Model back = Model::from_bytes(all.to_bytes());
    for (const Model* other : {&loaded, &copy, &back}) {
        EXPECT_EQ(other->members(), kMembers);
        EXPECT_EQ(other->to_bytes(), all.to_bytes());
        expect_same(*other, models);
    }
    EXPECT_EQ(models[0].members(), 1u);
}

TEST(Members, ImportanceIsTheMean) {
    const auto models = singles(blobs(120, 3, 1));
    const auto all = together(models).column_importance();
    std::vector<double> mean(all.size());
    for (const Model& model : models) {
        const auto own = model.column_importance();
        for (std::size_t j = 0; j < mean.size(); ++j) mean[j] += own[j];
    }
    for (std::size_t j = 0; j < mean.size(); ++j) EXPECT_EQ(all[j], mean[j] / kMembers);
}

TEST(Members, WhatDoesNotFitIsRefused) {
    const Dataset data = blobs(120, 3, 1);
    const auto models = singles(data);
    error_of(ErrorCode::kUsage, [&] { Model(std::vector<learn::ModelState>()); });
    error_of(ErrorCode::kUsage, [&] { together(models).member(kMembers); });
    TrainOptions options = small_options();
    options.tree = {11};
    const Model wider = train(data, options).model;
    const auto text = error_of(ErrorCode::kUsage, [&] {
        Model(std::vector{models[0].live().snapshot(), wider.live().snapshot()});
    });
    EXPECT_NE(text.find("network"), std::string::npos) << text;
}

}  // namespace
}  // namespace bitbayes
