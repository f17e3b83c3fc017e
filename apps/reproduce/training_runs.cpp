#include "reproduce/training_runs.hpp"
#include "bitbayes/read.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <span>

#include "base/thread_team.hpp"
#include "bitbayes/types/error.hpp"
#include "learn/live_model.hpp"
#include "learn/metrics.hpp"
#include "math/sign_moments.hpp"
#include "options/options.hpp"
#include "reproduce/subjects.hpp"
#include "rows/labels.hpp"
#include "terminal/progress.hpp"

namespace bitbayes::cli::reproduce {

namespace {

constexpr std::size_t kHidden = 301;
constexpr std::size_t kQuickImages = 15000;

struct TrainingSpec {
    std::string experiment;  // mnist or single-layer
    Algorithm algorithm = Algorithm::kMfb;
    std::string preprocess = "center";  // or standardize, or global
    std::uint64_t seed = 1;
    std::uint64_t epochs = 1;
    std::optional<double> learning_rate = std::nullopt;  // unset: the paper's
    double evidence = 1;

    bool single() const { return experiment == "single-layer"; }
    std::string name() const {
        const auto rate = learning_rate ? fmt::format("-rate{}", *learning_rate) : "";
        const auto counts = evidence != 1 ? fmt::format("-evidence{}", evidence) : "";
        return fmt::format("{}-{}-{}{}{}-seed{}", experiment, options::name_of(algorithm),
                           preprocess, rate, counts, seed);
    }
    TrainOptions options(const Plan& plan) const {
        TrainOptions options;
        options.algorithm = algorithm;
        options.learning_rate = learning_rate;
        options.evidence = evidence;
        options.preprocess = preprocess == "global" ? "none" : preprocess;
        options.tree = single() ? std::vector<std::size_t>{} : std::vector<std::size_t>{kHidden};
        options.seed = seed;
        options.epochs = epochs;
        options.threads = plan.threads;
        return options;
    }
};

/// The command that repeats the run by hand.
std::string command_of(const Plan& plan, const TrainingSpec& spec) {
    std::string command = "bitbayes train ";
    command +=
        plan.quick ? fmt::format("mnist:train#0:{} --test mnist:test", kQuickImages) : "mnist";
    command += spec.single() ? " --single" : fmt::format(" --tree {}", kHidden);
    if (spec.algorithm == Algorithm::kBackprop) command += " --algorithm backprop";
    if (spec.learning_rate) command += fmt::format(" --learning-rate {}", *spec.learning_rate);
    if (spec.evidence != 1) command += fmt::format(" --evidence {}", spec.evidence);
    command += fmt::format(" --preprocess {} --epochs {} --seed {}", spec.preprocess, spec.epochs,
                           spec.seed);
    return spec.preprocess == "global" ? "" : command;  // global is not an option of train
}

std::vector<float> scaled(const Dataset& data, double mean, double deviation) {
    const auto& bytes = std::get<std::vector<std::uint8_t>>(data.values);
    std::vector<float> values(bytes.size());
    std::transform(bytes.begin(), bytes.end(), values.begin(),
                   [&](std::uint8_t x) { return static_cast<float>((x - mean) / deviation); });
    return values;
}

/// One mean and one standard deviation over all pixels of all training images.
LoadedData global_data(const LoadedData& data) {
    const auto& bytes = std::get<std::vector<std::uint8_t>>(data.train.values);
    double sum = 0, squares = 0;
    for (const double x : bytes) {
        sum += x;
        squares += x * x;
    }
    const auto n = static_cast<double>(bytes.size());
    const double mean = sum / n, deviation = std::sqrt(squares / n - mean * mean);
    LoadedData result = data;
    result.train.values = scaled(data.train, mean, deviation);
    result.test.values = scaled(data.test, mean, deviation);
    return result;
}

Json history_json(const std::vector<EpochReport>& history) {
    Json list = Json::array();
    for (const auto& report : history) {
        list.push_back({{"epoch", report.epoch},
                        {"error_map", report.test->error_map},
                        {"error_mean", report.test->error_mean},
                        {"error_progressive", report.error_progressive},
                        {"seconds", report.seconds}});
    }
    return list;
}

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

class Runner {
  public:
    Runner(const Plan& plan, const RunStore& store, const LoadedData& data)
        : plan_(plan), store_(store), data_(data) {}

    /// {"name", "command", ..., "history"}; `model` receives the trained network.
    Json train(const TrainingSpec& spec, learn::ModelState* model = nullptr) const {
        const CheckpointFiles files = store_.checkpoint(spec.name());
        const bool global = spec.preprocess == "global";
        const LoadedData other = global ? global_data(data_) : LoadedData{};
        Common common = plan_.common;
        // Only a bar stays on; without one, notes per epoch replace the rows.
        const bool bar = progress_style(common) == ProgressStyle::kBar;
        if (!bar) common.progress = "none";
        Training training(common, global ? other : data_, spec.options(plan_), files);
        note_start(spec, training);
        const bool stop = training.run([&] {
            if (!bar) note_epoch(spec, training.history().back());
        });
        if (stop) throw Error(ErrorCode::kInterrupted, "interrupted");
        const learn::ModelState& trained = training.trainer().live().description();
        if (model != nullptr) *model = training.trainer().live().snapshot();
        return {{"name", spec.name()},
                {"command", command_of(plan_, spec)},
                {"algorithm", options::name_of(spec.algorithm)},
                {"preprocess", spec.preprocess},
                {"evidence", spec.evidence},
                {"seed", spec.seed},
                {"epochs", spec.epochs},
                {"learning_rate", trained.learning_rate},
                {"weights", trained.architecture.weights()},
                {"rows", data_.train.rows},
                {"test_rows", data_.test.rows},
                {"seconds", training.trainer().seconds()},
                {"history", history_json(training.history())}};
    }

  private:
    void note_start(const TrainingSpec& spec, const Training& training) const {
        const std::size_t done = training.history().size();
        if (done == spec.epochs) return;
        note(plan_.common, fmt::format("{}{}", spec.name(),
                                       done > 0 ? fmt::format(", {} epochs are there", done) : ""));
    }

    void note_epoch(const TrainingSpec& spec, const EpochReport& report) const {
        note(plan_.common,
             fmt::format("{}: epoch {} of {}, clipped {}, {} {}, {:.1f} s", spec.name(),
                         report.epoch, spec.epochs, percent(report.test->error_map),
                         spec.algorithm == Algorithm::kMfb ? "mean" : "real",
                         percent(report.test->error_mean), report.seconds));
    }

    const Plan& plan_;
    const RunStore& store_;
    const LoadedData& data_;
};

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

}  // namespace bitbayes::cli::reproduce
