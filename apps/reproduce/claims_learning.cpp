// Claims about learning, by the library's own trainer.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/thread_team.hpp"
#include "data/split.hpp"
#include "data/teacher.hpp"
#include "learn/live_model.hpp"
#include "options/options.hpp"
#include "packed/packed_answers.hpp"
#include "reproduce/claims.hpp"
#include "reproduce/statistics.hpp"
#include "reproduce/training_runs.hpp"
#include "training/evaluate.hpp"
#include "training/trainer.hpp"

namespace bitbayes::cli::reproduce {

namespace {

Dataset times(const Dataset& data, float factor) {
    const auto& bytes = std::get<std::vector<std::uint8_t>>(data.values);
    Dataset result = data;
    std::vector<float> values(bytes.size());
    for (std::size_t k = 0; k < bytes.size(); ++k) values[k] = factor * bytes[k];
    result.values = std::move(values);
    return result;
}

struct Answers {
    std::vector<Answer> mean, map;
};

/// One epoch on factor * x without preprocessing: no centring, no scaling, no constant.
Answers learn_scaled(const Plan& plan, const LoadedData& data, Algorithm algorithm, float factor) {
    TrainOptions options = paper_options();
    options.algorithm = algorithm;
    options.tree = {51};
    options.epochs = 1;
    options.seed = plan.seed;
    options.threads = plan.threads;
    options.preprocess = "none";
    options.bias = false;
    const auto model = train(times(data.train, factor), options).model;
    const Dataset test = times(data.test, factor);
    return {model.predict(test, Mode::kMean, plan.threads),
            model.predict(test, Mode::kMap, plan.threads)};
}

std::size_t different(const std::vector<Answer>& a, const std::vector<Answer>& b) {
    std::size_t count = 0;
    for (std::size_t r = 0; r < a.size(); ++r) count += a[r].class_index != b[r].class_index;
    return count;
}

double error_of(const std::vector<Answer>& answers, const Dataset& test) {
    std::size_t errors = 0;
    for (std::size_t r = 0; r < test.rows; ++r) {
        errors += answers[r].class_index != test.labels[r];
    }
    return static_cast<double>(errors) / static_cast<double>(test.rows);
}

/// The error of a student; MFB: of its clipped network.
double student_error(const LoadedData& data, TrainOptions options) {
    options.tree = {data.train.features};
    options.epochs = 1;
    options.threads = 1;
    options.shuffle = false;
    const auto result = train(data.train, options, &data.test);
    const Evaluation& test = *result.history.back().test;
    return options.algorithm == Algorithm::kMfb ? test.error_map : test.error_mean;
}

double mean_certainty(const learn::Posterior& posterior) {
    double sum = 0;
    std::size_t weights = 0;
    for (const auto& layer : posterior.layers) {
        for (std::size_t i = 0; i < layer.shape.neurons; ++i) {
            for (const float h : layer.row(i)) sum += std::fabs(std::tanh(double{h}));
        }
        weights += layer.shape.weights();
    }
    return sum / static_cast<double>(weights);
}

std::vector<Answer> map_answers(const std::vector<packed::Answer>& clipped) {
    std::vector<Answer> answers;
    for (const auto& answer : clipped) answers.push_back(packed::map_answer(answer));
    return answers;
}

/// Certainty, and the share of test samples that MAP and mean answer differently, as a student learns.
Json certainty_curve(std::size_t m, std::uint64_t seed) {
    const LoadedData data =
        data::make_teacher(m, seed, data::kTeacherTrainRows, data::kTeacherTestRows);
    TrainOptions options = paper_options();
    options.tree = {m};
    options.seed = seed;
    learn::LiveModel model(training::initial_model(data.train, options), {.threads = 1});
    const auto labels = model.classes().labels_of(data.train);
    Json points = Json::array();
    std::size_t done = 0;
    for (std::size_t next = 100; done < data.train.rows; next *= 2) {
        std::vector<std::size_t> rows(std::min(next, data.train.rows) - done);
        std::iota(rows.begin(), rows.end(), done);
        model.learn(data.train, rows, std::span(labels).subspan(done, rows.size()), [](auto...) {});
        done += rows.size();
        const auto map = map_answers(training::clipped_answers(model, data.test, 1));
        const auto mean = training::mean_answers(model, data.test, 1);
        points.push_back({{"samples", done},
                          {"certainty", mean_certainty(model.learner().posterior())},
                          {"disagreement", static_cast<double>(different(map, mean)) /
                                               static_cast<double>(data.test.rows)},
                          {"error_map", error_of(map, data.test)},
                          {"error_mean", error_of(mean, data.test)}});
    }
    return points;
}

}  // namespace

Json amplitude(const Plan& plan, const LoadedData& mnist) {
    constexpr std::size_t kImages = 5000;
    const LoadedData data{first_rows(mnist.train, kImages), mnist.test};
    Json results{{"images", data.train.rows}, {"test_images", data.test.rows}};
    for (const auto algorithm : {Algorithm::kMfb, Algorithm::kBackprop}) {
        const Answers plain = learn_scaled(plan, data, algorithm, 1);
        Json& out = results[options::name_of(algorithm)];
        out["1"] = {{"error_mean", error_of(plain.mean, data.test)},
                    {"error_map", error_of(plain.map, data.test)}};
        for (const float factor : {100.0f, 128.0f}) {
            const Answers other = learn_scaled(plan, data, algorithm, factor);
            out[std::to_string(static_cast<int>(factor))] = {
                {"different_mean", different(plain.mean, other.mean)},
                {"different_map", different(plain.map, other.map)},
                {"error_mean", error_of(other.mean, data.test)},
                {"error_map", error_of(other.map, data.test)}};
        }
    }
    return results;
}

Json learning_rate(const Plan& plan) {
    constexpr std::size_t kSize = 21;
    const std::size_t trials = plan.quick ? 3 : 10;
    const std::vector<double> rates{1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 0.1, 0.3, 1};
    std::vector<std::vector<double>> backprop(rates.size(), std::vector<double>(trials));
    std::vector<double> mfb(trials);
    ThreadTeam team(plan.threads);
    team.run(trials, [&](std::size_t t) {
        const std::uint64_t seed = plan.seed + t;
        const LoadedData data =
            data::make_teacher(kSize, seed, data::kTeacherTrainRows, data::kTeacherTestRows);
        TrainOptions options = paper_options();
        options.seed = seed;
        mfb[t] = student_error(data, options);
        options.algorithm = Algorithm::kBackprop;
        for (std::size_t k = 0; k < rates.size(); ++k) {
            options.learning_rate = rates[k];
            backprop[k][t] = student_error(data, options);
        }
    });
    Json results{{"M", kSize}, {"trials", trials}, {"mfb", spread_json(mfb)}};
    for (std::size_t k = 0; k < rates.size(); ++k) {
        Json point = spread_json(backprop[k]);
        point["rate"] = rates[k];
        results["backprop"].push_back(point);
    }
    return results;
}

Json certainty(const Plan& plan) {
    Json results = Json::array();
    for (const std::size_t m : {5, 9, 21}) {
        results.push_back({{"M", m}, {"points", certainty_curve(m, plan.seed)}});
    }
    return results;
}

}  // namespace bitbayes::cli::reproduce
