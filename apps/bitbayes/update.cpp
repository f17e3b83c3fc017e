#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <numeric>

#include "base/atomic_file.hpp"
#include "bitbayes/model.hpp"
#include "bitbayes/read.hpp"
#include "bitbayes/types/error.hpp"
#include "commands.hpp"
#include "learn/live_model.hpp"
#include "options.hpp"
#include "terminal/outputs.hpp"
#include "terminal/progress.hpp"
#include "terminal/report.hpp"
#include "terminal/signals.hpp"

namespace bitbayes::cli {

namespace {

struct Arguments {
    Common common;
    ReadOptions reading;
    std::string model, data, output;
    unsigned threads = 0;
};

/// Learns chunk after chunk and keeps count.
class Updater {
  public:
    Updater(const Arguments& arguments, Model& model)
        : arguments_(arguments), model_(model), progress_(progress_style(arguments.common)) {
        now_.epoch = now_.epochs = 1;
    }

    void learn(const Dataset& chunk) {
        const UpdateReport report = model_.update(chunk, arguments_.threads);
        const auto rows = static_cast<double>(report.rows);
        errors_ += report.error_progressive * rows;
        now_.sample += report.rows;
        now_.seconds += report.seconds;
        now_.weight_updates += report.rows * model_.live().description().architecture.weights();
        now_.error_recent = report.error_progressive;
        now_.error_progressive = errors_ / static_cast<double>(now_.sample);
        progress_.step(now_);
    }

    /// Chunks of 1, 1, 2, 4, ... rows, so that progress has something to show.
    void learn_all(const Dataset& data) {
        model_.live().classes().labels_of(data);  // an unknown class stops the run before any work
        now_.samples_per_epoch = data.rows;
        while (now_.sample < data.rows) {
            const std::size_t wanted = std::clamp<std::size_t>(now_.sample, 1, kChunkRows);
            std::vector<std::size_t> rows(std::min(wanted, data.rows - now_.sample));
            std::iota(rows.begin(), rows.end(), now_.sample);
            learn(data.select(rows));
        }
    }

    void finish() { progress_.epoch_done(nullptr); }
    const TrainProgress& done() const { return now_; }

  private:
    const Arguments& arguments_;
    Model& model_;
    Progress progress_;
    TrainProgress now_;
    double errors_ = 0;
};

/// A stream ends with its last row, SIGINT, or a malformed row. Whatever was learned before that is
/// kept.
void learn_stream(const Arguments& arguments, const ReadOptions& reading, Model& model,
                  Updater& updater) {
    const InterruptFlag interrupt(true);
    const auto keep = [&](ErrorCode code, const std::string& what) {
        if (updater.done().sample == 0) return Error(code, what);
        model.save(arguments.output, arguments.common.force);
        return Error(code, what,
                     fmt::format("the {} rows before are learned and in {}", updater.done().sample,
                                 arguments.output));
    };
    try {
        RowStream stream("-", reading);
        for (Dataset chunk; stream.next(chunk, kChunkRows);) updater.learn(chunk);
        for (const auto& text : stream.notes()) note(arguments.common, text);
    } catch (const Error& error) {
        if (!interrupt.raised()) throw keep(error.code(), error.what());
    }
    if (interrupt.raised()) throw keep(ErrorCode::kInterrupted, "interrupted");
}

void report(const Arguments& arguments, const Model& model, const TrainProgress& done) {
    const RunFigures figures{.network = model.live(),
                             .rows = done.sample,
                             .threads = threads_used(arguments.threads),
                             .seconds = done.seconds,
                             .error_progressive = done.error_progressive};
    Json object = run_json(figures);
    object["model"] = arguments.output;
    write_result(arguments.common, object,
                 run_table(figures) + table_row("model", arguments.output));
}

void run(const Arguments& arguments) {
    check_apart({arguments.output}, data_files({arguments.data}));
    check_output(arguments.output, arguments.common.force);
    Model model = Model::load(arguments.model);
    ReadOptions reading = arguments.reading;
    reading.known = model.reading().known;
    Updater updater(arguments, model);
    if (arguments.data == "-") {
        learn_stream(arguments, reading, model, updater);
    } else {
        const Dataset data = load_dataset(arguments.data, reading, Split::kTrain);
        note_data(arguments.common, data);
        updater.learn_all(data);
    }
    updater.finish();
    model.save(arguments.output, arguments.common.force);
    note_threads(arguments.common, arguments.threads);
    report(arguments, model, updater.done());
}

}  // namespace

void add_update(CLI::App& app) {
    auto arguments = std::make_shared<Arguments>();
    auto* command =
        app.add_subcommand("update", "Continue learning: one pass over DATA, in its order");
    command->add_option("MODEL", arguments->model, "A model or checkpoint file")
        ->required()
        ->type_name("");
    command
        ->add_option("DATA", arguments->data, "Labelled rows (its training split, if it has two)")
        ->required()
        ->type_name("");
    command->add_option("-o,--output", arguments->output, "Write the new model to FILE")
        ->required()
        ->type_name("FILE");
    add_threads(*command, arguments->threads);
    add_reading(*command, arguments->reading);
    add_common(*command, arguments->common);
    command->callback([arguments] { run(*arguments); });
}

}  // namespace bitbayes::cli
