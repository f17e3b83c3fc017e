#include "reproduce/training_runs.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <span>

#include "base/thread_team.hpp"
#include "bitbayes/read.hpp"
#include "learn/metrics.hpp"
#include "math/sign_moments.hpp"
#include "reproduce/runner.hpp"
#include "reproduce/subjects.hpp"
#include "rows/labels.hpp"
#include "training/trainer.hpp"

namespace bitbayes::cli::reproduce {

namespace {

/// The error if the output neuron with the highest input mu wins, as the paper says, instead of the
/// highest mu / sigma. L = 2, in double.
double error_by_input(const learn::ModelState& model, const Dataset& test, unsigned threads) {
    const auto& layers = model.posterior.layers;
    const std::size_t outputs = model.architecture.outputs(), K = layers[1].shape.fan_in;
    const auto labels = labels_among(test, model.class_names);
    const auto live = model.preprocessing.live_inputs();
    const std::size_t inputs = layers[0].shape.fan_in;
    std::vector<std::vector<float>> w;
    for (const auto& layer : layers) w.push_back(learn::weight_means(layer.learned));
    std::atomic<std::size_t> errors = 0;
    ThreadTeam team(threads);
    team.run(test.rows, [&](std::size_t row) {
        data::InputBlock block;
        model.preprocessing.apply(test, std::vector{row}, block);
        std::vector<float> mu(outputs);
        for (std::size_t i = 0; i < outputs * K; ++i) {
            double S = 0, T = 0;
            for (std::size_t k = 0; k < live.size(); ++k) {
                const double x = block.value[k], mean = w[0][i * inputs + live[k]];
                S += mean * x;
                T += x * x * (1 - mean * mean);
            }
            mu[i / K] += static_cast<float>(w[1][i] * math::sign_moments(S, T).mean);
        }
        errors += learn::winner(mu) != labels[row];
    });
    return static_cast<double>(errors) / static_cast<double>(test.rows);
}

}  // namespace

Dataset first_rows(const Dataset& data, std::size_t count) {
    std::vector<std::size_t> rows(std::min(count, data.rows));
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    return data.select(rows);
}

LoadedData mnist_data(const Plan& plan) {
    LoadedData data = load_data("mnist");
    if (plan.quick) data.train = first_rows(data.train, kQuickImages);
    return data;
}

Json mnist(const Plan& plan, const RunStore& store, const LoadedData& data) {
    const Runner runner(plan, store, data);
    Json runs = Json::array();
    learn::ModelState trained;
    for (const auto algorithm : {Algorithm::kBackprop, Algorithm::kMfb}) {
        const bool mfb = algorithm == Algorithm::kMfb;
        for (std::uint64_t k = 0; k < plan.seeds(); ++k) {
            // An MFB run takes ten times as long: one runs all epochs, the others show the spread.
            const auto epochs = mfb && k > 0 ? plan.side_epochs() : plan.epochs();
            runs.push_back(runner.train({"mnist", algorithm, "center", plan.seed + k, epochs},
                                        mfb && k == 0 ? &trained : nullptr));
        }
    }
    for (const auto algorithm : {Algorithm::kBackprop, Algorithm::kMfb}) {
        for (const char* preprocess : std::span(kPreprocessings).subspan(1)) {
            runs.push_back(
                runner.train({"mnist", algorithm, preprocess, plan.seed, plan.side_epochs()}));
        }
    }
    TrainingSpec surer{"mnist", Algorithm::kMfb, "center", plan.seed, plan.side_epochs()};
    surer.evidence = 10;
    runs.push_back(runner.train(surer));
    if (store.sharing()) return {};  // whoever needs `trained` for the rest may not have it
    const Json settings{{"seed", plan.seed}, {"epochs", plan.epochs()}, {"rows", data.train.rows}};
    const Json readout = store.run("mnist-readout", settings, [&]() -> Json {
        return {{"highest_input", error_by_input(trained, data.test, plan.threads)}};
    });
    return {{"runs", runs}, {"readout", readout}};
}

Json single_layer(const Plan& plan, const RunStore& store, const LoadedData& data) {
    const Runner runner(plan, store, data);
    Json runs = Json::array();
    for (std::uint64_t k = 0; k < plan.seeds(); ++k) {
        runs.push_back(runner.train(
            {"single-layer", Algorithm::kMfb, "center", plan.seed + k, plan.single_epochs()}));
        for (const double rate : {1e-5, 3e-5, 1e-4, 3e-4, 1e-3}) {
            runs.push_back(runner.train({"single-layer", Algorithm::kBackprop, "center",
                                         plan.seed + k, plan.single_epochs(), rate}));
        }
    }
    for (const char* preprocess : std::span(kPreprocessings).subspan(1)) {
        runs.push_back(runner.train(
            {"single-layer", Algorithm::kMfb, preprocess, plan.seed, plan.single_epochs()}));
    }
    return {{"runs", runs}};
}

Json dense(const Plan& plan, const RunStore& store, const LoadedData& data) {
    std::vector<Shape> shapes{{{}, {11}},  {{}, {31}},       {{128}, {}},
                              {{256}, {}}, {{128, 128}, {}}, {{512}, {21}}};
    if (!plan.quick) {
        shapes.insert(shapes.end(), {{{}, {101}},
                                     {{}, {301}},
                                     {{512}, {}},
                                     {{1024}, {}},
                                     {{256, 256}, {}},
                                     {{512, 512}, {}},
                                     {{1024, 1024}, {}}});
    }
    const Runner runner(plan, store, data);
    Json runs = Json::array();
    for (const Shape& shape : shapes) {
        TrainingSpec spec{"dense", Algorithm::kMfb, "center", plan.seed, plan.dense_epochs()};
        if (!shape.dense.empty()) spec.evidence = training::dense_evidence(shape.dense);
        spec.shape = shape;
        runs.push_back(runner.train(spec));
    }
    return {{"runs", runs}};
}

}  // namespace bitbayes::cli::reproduce
