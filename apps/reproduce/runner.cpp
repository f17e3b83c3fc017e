#include "reproduce/runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bitbayes/types/error.hpp"
#include "learn/live_model.hpp"
#include "options/options.hpp"
#include "terminal/progress.hpp"
#include "terminal/report.hpp"

namespace bitbayes::cli::reproduce {

namespace {

/// The paper's 785x(301x10)x10, or its single layer.
Shape shape_of(const TrainingSpec& spec) {
    constexpr std::size_t kHidden = 301;
    if (spec.shape) return *spec.shape;
    return spec.experiment == "single-layer" ? Shape{} : Shape{{}, {kHidden}};
}

TrainOptions options_of(const Plan& plan, const TrainingSpec& spec) {
    const Shape shape = shape_of(spec);
    TrainOptions options = paper_options();
    options.algorithm = spec.algorithm;
    options.learning_rate = spec.learning_rate;
    options.evidence = spec.evidence;
    options.preprocess = spec.preprocess == "global" ? "none" : spec.preprocess;
    options.dense = shape.dense;
    options.tree = shape.tree;
    options.seed = spec.seed;
    options.epochs = spec.epochs;
    options.threads = plan.threads;
    options.backend = plan.backend;
    return options;
}

/// The command that repeats the run by hand.
std::string command_of(const Plan& plan, const TrainingSpec& spec) {
    const Shape shape = shape_of(spec);
    std::string command = "bitbayes train ";
    command +=
        plan.quick ? fmt::format("mnist:train#0:{} --test mnist:test", kQuickImages) : "mnist";
    if (!shape.dense.empty()) command += fmt::format(" --dense {}", fmt::join(shape.dense, ","));
    if (!shape.tree.empty()) command += fmt::format(" --tree {}", fmt::join(shape.tree, ","));
    if (shape.dense.empty() && shape.tree.empty()) command += " --single";
    if (spec.algorithm == Algorithm::kBackprop) command += " --algorithm backprop";
    if (spec.learning_rate) {
        command += fmt::format(" --learning-rate {}", *spec.learning_rate);
    } else {
        command += fmt::format(" --evidence {} --label-noise 0 --polish 0", spec.evidence);
    }
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

void note_start(const Plan& plan, const TrainingSpec& spec, const Training& training) {
    const std::size_t done = training.history().size();
    if (done == spec.epochs) return;
    note(plan.common, fmt::format("{}{}", spec.name(),
                                  done > 0 ? fmt::format(", {} epochs are there", done) : ""));
}

void note_epoch(const Plan& plan, const TrainingSpec& spec, const EpochReport& report) {
    note(plan.common, fmt::format("{}: epoch {} of {}, clipped {}, {} {}, {:.1f} s", spec.name(),
                                  report.epoch, spec.epochs, percent(report.test->error_map),
                                  spec.algorithm == Algorithm::kMfb ? "mean" : "real",
                                  percent(report.test->error_mean), report.seconds));
}

}  // namespace

std::string TrainingSpec::name() const {
    std::string name = fmt::format("{}-{}-{}", experiment, options::name_of(algorithm), preprocess);
    if (learning_rate) name += fmt::format("-rate{}", *learning_rate);
    if (evidence != 1 && !shape) name += fmt::format("-evidence{}", evidence);
    if (shape) {
        for (const std::size_t width : shape->dense) name += fmt::format("-{}", width);
        for (const std::size_t fan_in : shape->tree) name += fmt::format("-tree{}", fan_in);
    }
    return name + fmt::format("-seed{}", seed);
}

Json Runner::train(const TrainingSpec& spec, learn::ModelState* model) const {
    const RunStore::Turn turn = store_.turn(spec.name());
    if (!turn.mine) return {};
    const CheckpointFiles files = store_.checkpoint(spec.name());
    const bool global = spec.preprocess == "global";
    const LoadedData other = global ? global_data(data_) : LoadedData{};
    Common common = plan_.common;
    // Only a bar stays on; without one, notes per epoch replace the rows.
    const bool bar = progress_style(common) == ProgressStyle::kBar;
    if (!bar) common.progress = "none";
    Training training(common, global ? other : data_, options_of(plan_, spec), files);
    note_start(plan_, spec, training);
    const bool stop = training.run([&] {
        if (!bar) note_epoch(plan_, spec, training.history().back());
    });
    if (stop) throw Error(ErrorCode::kInterrupted, "interrupted");
    const learn::ModelState& trained = training.trainer().live().description();
    if (model != nullptr) *model = training.trainer().live().snapshot();
    Json run{{"name", spec.name()},
             {"command", command_of(plan_, spec)},
             {"algorithm", options::name_of(spec.algorithm)},
             {"preprocess", spec.preprocess},
             {"evidence", trained.evidence},
             {"seed", spec.seed},
             {"epochs", spec.epochs},
             {"learning_rate", trained.learning_rate},
             {"weights", trained.architecture.weights()},
             {"rows", data_.train.rows},
             {"test_rows", data_.test.rows},
             {"seconds", training.trainer().seconds()},
             {"history", history_json(training.history())}};
    if (spec.shape) {
        run["dense"] = spec.shape->dense;
        run["tree"] = spec.shape->tree;
        run["architecture"] = architecture_text(trained.architecture);
        run["nll"] = training.history().back().test->nll;
    }
    return run;
}

}  // namespace bitbayes::cli::reproduce
