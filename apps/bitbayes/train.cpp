#include <fmt/format.h>

#include <memory>
#include <vector>

#include "base/atomic_file.hpp"
#include "bitbayes/read.hpp"
#include "bitbayes/types/error.hpp"
#include "commands.hpp"
#include "data/split.hpp"
#include "learn/live_model.hpp"
#include "model/model_file.hpp"
#include "terminal/outputs.hpp"
#include "terminal/report.hpp"
#include "terminal/training.hpp"
#include "train_arguments.hpp"

namespace bitbayes::cli {

namespace {

Existing existing(const Common& common) {
    return common.force ? Existing::kReplace : Existing::kKeep;
}

/// The checkpoint of a resumed run may be the one it goes on from.
bool replaces_checkpoint(const TrainArguments& arguments) {
    return arguments.common.force ||
           (!arguments.resume.empty() && same_file(arguments.checkpoint, arguments.resume));
}

void check_outputs(const TrainArguments& arguments) {
    const std::vector<std::string> others{arguments.model, arguments.metrics};
    check_apart({arguments.checkpoint, arguments.model, arguments.metrics},
                data_files({arguments.data, arguments.test}));
    check_apart(others, {arguments.resume});
    for (const auto& output : others) {
        if (!output.empty()) check_output(output, arguments.common.force);
    }
    if (arguments.checkpoint.empty()) return;
    check_output(arguments.checkpoint, replaces_checkpoint(arguments));
}

/// The training set, and the test set if there is one.
LoadedData load(const TrainArguments& arguments) {
    LoadedData data = load_data(arguments.data, arguments.reading);
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
        ReadOptions reading = arguments.reading;
        reading.known = Rows(data.train).columns();
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

/// --metrics: written after each epoch, and each time in whole.
class MetricsFile {
  public:
    explicit MetricsFile(const TrainArguments& arguments)
        : path_(arguments.metrics), existing_(existing(arguments.common)) {}

    void write(const std::vector<EpochReport>& history) {
        if (path_.empty()) return;
        std::string lines;
        for (const auto& epoch : history) lines += to_line(epoch_json(epoch));
        write_atomically(path_, lines, existing_);
        existing_ = Existing::kReplace;  // from now on the file is this run's
    }

  private:
    const std::string path_;
    Existing existing_;
};

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
    const CheckpointFiles files{arguments.checkpoint, arguments.resume, arguments.every,
                                replaces_checkpoint(arguments)};
    Training training(arguments.common, data, options, files);
    note_start(arguments, training.trainer().live());
    MetricsFile metrics(arguments);
    training.run([&] { metrics.write(training.history()); });
    metrics.write(training.history());
    if (!arguments.model.empty()) {
        model::save_model(arguments.model, training.trainer().live().snapshot(),
                          existing(arguments.common));
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
