#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <vector>

#include "base/atomic_file.hpp"
#include "bitbayes/read.hpp"
#include "bitbayes/types/error.hpp"
#include "commands.hpp"
#include "data/split.hpp"
#include "learn/live_model.hpp"
#include "model/model_file.hpp"
#include "terminal/report.hpp"
#include "terminal/training.hpp"
#include "train_arguments.hpp"

namespace bitbayes::cli {

namespace {

bool same_file(const std::string& a, const std::string& b) {
    std::error_code ignored;
    return a == b || std::filesystem::equivalent(a, b, ignored);
}

void check_outputs(const TrainArguments& arguments) {
    const std::vector<std::string> outputs{arguments.model, arguments.checkpoint,
                                           arguments.metrics};
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            if (!outputs[i].empty() && same_file(outputs[i], outputs[j])) {
                throw Error(ErrorCode::kUsage, outputs[i] + ": named as two different outputs");
            }
        }
    }
    for (const auto& output : outputs) {
        const bool goes_on = !arguments.resume.empty() && output == arguments.checkpoint &&
                             same_file(output, arguments.resume);
        if (!output.empty()) check_output(output, arguments.common.force || goes_on);
    }
}

/// The training set, and the test set if there is one.
LoadedData load(const TrainArguments& arguments) {
    ReadOptions reading = arguments.reading;
    reading.max_memory = arguments.options({}).max_memory;
    LoadedData data = load_data(arguments.data, reading);
    note_data(arguments.common, data.train);
    if (arguments.hold_out) {
        if (data.has_test()) {
            throw Error(ErrorCode::kUsage,
                        arguments.data + " has a test split: --hold-out has nothing to do",
                        "leave it out, or choose the rows with :train");
        }
        const std::uint64_t seed = arguments.options({}).seed;
        return data::hold_out(std::move(data.train), *arguments.hold_out, seed);
    }
    if (!arguments.test.empty()) {
        if (data.train.sparse()) reading.known.features = data.train.features;
        data.test = load_dataset(arguments.test, reading);
    }
    if (data.has_test()) note_data(arguments.common, data.test);
    return data;
}

void note_start(const TrainArguments& arguments, const learn::LiveModel& network) {
    const auto& common = arguments.common;
    if (arguments.model.empty()) note(common, "the model will not be kept; -o FILE keeps it");
    if (!common.verbose) return;
    const auto& model = network.description();
    note(common,
         fmt::format("network {}, {} threads, {} kernels", architecture_text(model.architecture),
                     network.learner().threads(), network.learner().backend()));
    note(common,
         fmt::format("preprocess {} ({})", model.preprocessing.name(), model.preprocessing.reason));
}

void save_metrics(const std::string& path, const std::vector<EpochReport>& history) {
    if (path.empty()) return;
    std::string lines;
    for (const auto& epoch : history) lines += to_line(epoch_json(epoch));
    write_atomically(path, lines);
}

void report(const TrainArguments& arguments, const LoadedData& data, const Training& training) {
    const Trainer& trainer = training.trainer();
    const auto& history = training.history();
    const RunFigures figures{.network = trainer.live(),
                             .rows = data.train.rows,
                             .threads = trainer.live().learner().threads(),
                             .seconds = trainer.seconds(),
                             .error_progressive = trainer.error_progressive(),
                             .evaluation = history.empty() ? std::nullopt : history.back().test};
    Json object = run_json(figures);
    object["model"] = arguments.model.empty() ? Json() : Json(arguments.model);
    object["history"] = Json::array();
    for (const auto& epoch : history) object["history"].push_back(epoch_json(epoch));
    const auto& model = arguments.model.empty() ? "-" : arguments.model;
    write_result(
        arguments.common, object,
        evaluation_table(figures.evaluation) + run_table(figures) + table_row("model", model));
}

void run(const TrainArguments& arguments) {
    arguments.options({});  // contradictory options stop the run before any work
    check_outputs(arguments);
    const LoadedData data = load(arguments);
    const TrainOptions options = arguments.options(default_options(data.train));
    const CheckpointFiles files{arguments.checkpoint, arguments.resume, arguments.every};
    Training training(arguments.common, data, options, files);
    note_start(arguments, training.trainer().live());
    training.run([&] { save_metrics(arguments.metrics, training.history()); });
    save_metrics(arguments.metrics, training.history());
    if (!arguments.model.empty()) {
        model::save_model(arguments.model, training.trainer().live().snapshot());
    }
    report(arguments, data, training);
}

}  // namespace

void add_train(CLI::App& app) {
    auto arguments = std::make_shared<TrainArguments>();
    auto* command = app.add_subcommand("train", "Learn a network from DATA");
    add_train_arguments(*command, *arguments);
    command->callback([arguments] { run(*arguments); });
}

}  // namespace bitbayes::cli
