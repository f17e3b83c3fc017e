#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <vector>

#include "base/atomic_file.hpp"
#include "bitbayes/error.hpp"
#include "commands.hpp"
#include "data/split.hpp"
#include "learn/trainer.hpp"
#include "model/model_file.hpp"
#include "progress.hpp"
#include "report.hpp"
#include "signals.hpp"
#include "train_arguments.hpp"

namespace bitbayes::cli {

namespace {

constexpr std::uint64_t kTeacherEpochs = 1;

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
    LoadedData data = load_data(arguments.data, arguments.reading);
    note_data(arguments.common, data.train);
    if (arguments.hold_out) {
        if (data.has_test()) {
            throw Error(ErrorCode::kUsage,
                        arguments.data + " has a test split: --hold-out has nothing to do",
                        "leave it out, or choose the rows with :train");
        }
        return data::hold_out(std::move(data.train), *arguments.hold_out, arguments.options.seed);
    }
    if (!arguments.test.empty()) data.test = load_dataset(arguments.test, arguments.reading);
    if (data.has_test()) note_data(arguments.common, data.test);
    return data;
}

TrainOptions options_for(const TrainArguments& arguments, const Dataset& training) {
    TrainOptions options = arguments.options;
    const bool teacher = training.kind == DataKind::kTeacher;
    if (teacher && !arguments.tree_given) options.tree = {training.features};
    options.epochs = arguments.epochs.value_or(teacher ? kTeacherEpochs : options.epochs);
    return options;
}

/// One run of the trainer, with everything that happens along the way.
class Run {
  public:
    Run(const TrainArguments& arguments, const LoadedData& data)
        : arguments_(arguments),
          data_(data),
          settings_(settings()),
          start_(arguments.resume.empty() ? first_state() : saved_state()),
          history_(start_.position.history),
          trainer_(std::move(start_.model), data.train, data.has_test() ? &data.test : nullptr,
                   settings_.options, start_.position) {}

    void train() {
        note_start();
        Progress progress(progress_style(arguments_.common), start_.position.epochs_done,
                          start_.position.sample);
        const InterruptFlag interrupt;
        learn::Trainer::Hooks hooks;
        hooks.every = arguments_.every;
        hooks.progress = [&](const TrainProgress& now) {
            progress.step(now);
            return !interrupt.raised();
        };
        hooks.epoch = [&](const EpochReport& report) {
            progress.epoch_done(report.test ? &*report.test : nullptr);
            history_.push_back(report);
            save_metrics();
        };
        if (!arguments_.checkpoint.empty()) hooks.checkpoint = [this] { save_checkpoint(); };
        const bool finished = trainer_.run(hooks);
        save_checkpoint();
        if (!finished) throw interrupted();
        save_metrics();
        if (!arguments_.model.empty()) model::save_model(arguments_.model, trainer_.model());
    }

    void report() const {
        const RunFigures figures{
            .model = trainer_.model(),
            .rows = data_.train.rows,
            .threads = trainer_.threads(),
            .backend = trainer_.backend(),
            .seconds = trainer_.seconds(),
            .error_progressive = trainer_.error_progressive(),
            .evaluation = history_.empty() ? std::nullopt : history_.back().test};
        Json object = run_json(figures);
        object["model"] = arguments_.model.empty() ? Json() : Json(arguments_.model);
        object["history"] = Json::array();
        for (const auto& epoch : history_) object["history"].push_back(epoch_json(epoch));
        const auto& model = arguments_.model.empty() ? "-" : arguments_.model;
        write_result(
            arguments_.common, object,
            evaluation_table(figures.evaluation) + run_table(figures) + table_row("model", model));
    }

  private:
    model::RunSettings settings() const {
        model::RunSettings result{options_for(arguments_, data_.train), "", ""};
        if (arguments_.checkpoint.empty() && arguments_.resume.empty()) return result;
        result.data_fingerprint = data::fingerprint(data_.train);
        if (data_.has_test()) result.test_fingerprint = data::fingerprint(data_.test);
        return result;
    }

    model::Checkpoint first_state() const {
        return {learn::initial_model(data_.train, settings_.options), {}, settings_};
    }

    model::Checkpoint saved_state() const {
        auto saved = model::load_checkpoint(arguments_.resume);
        model::check_same_run(saved.settings, settings_);
        return saved;
    }

    void note_start() const {
        const auto& common = arguments_.common;
        const auto& model = trainer_.model();
        if (arguments_.model.empty()) note(common, "the model will not be kept; -o FILE keeps it");
        if (!common.verbose) return;
        note(common, fmt::format("network {}, {} threads, {} kernels",
                                 architecture_text(model.architecture), trainer_.threads(),
                                 trainer_.backend()));
        note(common, fmt::format("preprocess {} ({})", model.preprocessing.name(),
                                 model.preprocessing.reason));
    }

    void save_checkpoint() const {
        if (arguments_.checkpoint.empty()) return;
        model::save_checkpoint(arguments_.checkpoint, trainer_.model(), trainer_.position(),
                               settings_);
    }

    void save_metrics() const {
        if (arguments_.metrics.empty()) return;
        std::string lines;
        for (const auto& epoch : history_) lines += to_line(epoch_json(epoch));
        write_atomically(arguments_.metrics, lines);
    }

    Error interrupted() const {
        const auto& at = trainer_.position();
        const auto hint = arguments_.checkpoint.empty()
                              ? std::string("with --checkpoint FILE a run can go on later")
                              : "go on with --resume " + arguments_.checkpoint;
        return Error(
            ErrorCode::kInterrupted,
            fmt::format("interrupted at epoch {}, sample {}", at.epochs_done + 1, at.sample), hint);
    }

    const TrainArguments& arguments_;
    const LoadedData& data_;
    model::RunSettings settings_;
    model::Checkpoint start_;
    std::vector<EpochReport> history_;
    learn::Trainer trainer_;
};

void run(const TrainArguments& arguments) {
    check_outputs(arguments);
    const LoadedData data = load(arguments);
    Run training(arguments, data);
    training.train();
    training.report();
}

}  // namespace

void add_train(CLI::App& app) {
    auto arguments = std::make_shared<TrainArguments>();
    auto* command = app.add_subcommand("train", "Learn a network from DATA");
    add_train_arguments(*command, *arguments);
    command->callback([arguments] { run(*arguments); });
}

}  // namespace bitbayes::cli
