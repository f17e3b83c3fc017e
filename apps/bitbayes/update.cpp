#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <numeric>
#include <utility>

#include "base/atomic_file.hpp"
#include "base/text.hpp"
#include "bitbayes/model.hpp"
#include "bitbayes/read.hpp"
#include "bitbayes/types/error.hpp"
#include "commands.hpp"
#include "learn/live_model.hpp"
#include "options.hpp"
#include "options/options.hpp"
#include "terminal/outputs.hpp"
#include "terminal/progress.hpp"
#include "terminal/report.hpp"
#include "terminal/signals.hpp"
#include "update_like_device.hpp"

namespace bitbayes::cli {

namespace {

/// Rows after which what was learned before counts 1/e; docs/drift.md has the measurements.
constexpr std::uint64_t kMemory = 10000;

struct Arguments {
    Common common;
    ReadOptions reading;
    std::string model, data, output;
    unsigned threads = 0;
    std::uint64_t every = 0;  // rows between saves of a stream; 0: only at its end
    bool new_classes = false;
    bool like_device = false;
    std::uint64_t device_seed = device::kSeed;
    double every_seconds = 0;                           // seconds between them; 0: only at its end
    std::optional<TrainOptions> memory = std::nullopt;  // holds what --memory said
};

constexpr const char* kNewClasses = "--new-classes learns other classes too";

/// Learns chunk after chunk and keeps count.
class Updater {
  public:
    Updater(const Arguments& arguments, Model& model)
        : arguments_(arguments), model_(model), progress_(progress_style(arguments.common)) {
        now_.epoch = now_.epochs = 1;
    }

    void learn(const Dataset& chunk) {
        if (arguments_.new_classes && chunk.labelled()) {
            learn_new_classes(chunk);
        } else {
            if (chunk.labelled()) check_classes(chunk);
            learn_rows(chunk);
        }
    }

    /// Chunks of 1, 1, 2, 4, ... rows, so that progress has something to show.
    void learn_all(const Dataset& data) {
        if (!arguments_.new_classes) {
            check_classes(data);  // an unknown class stops before any work
        }
        now_.samples_per_epoch = data.rows;
        while (now_.sample < data.rows) {
            const std::size_t wanted = std::clamp<std::size_t>(now_.sample, 1, kChunkRows);
            learn(rows_of(data, now_.sample, std::min(now_.sample + wanted, data.rows)));
        }
    }

    void finish() { progress_.epoch_done(nullptr); }
    const TrainProgress& done() const { return now_; }

  private:
    void check_classes(const Dataset& data) const {
        model_.live().classes().labels_of(data, kNewClasses);
    }

    void learn_rows(const Dataset& chunk) {
        const UpdateReport report = model_.update(chunk, arguments_.threads);
        const auto rows = static_cast<double>(report.rows);
        errors_ += report.error_progressive * rows;
        now_.sample += report.rows;
        now_.seconds += report.seconds;
        now_.weight_updates +=
            report.rows * model_.members() * model_.live().description().architecture.weights();
        now_.error_recent = report.error_progressive;
        now_.error_progressive = errors_ / static_cast<double>(now_.sample);
        progress_.step(now_);
    }

    /// A label that the model does not know becomes a class where it first occurs.
    void learn_new_classes(const Dataset& chunk) {
        model_.live().description().preprocessing.check(chunk);  // a bad row must not name a class
        std::size_t first = 0;
        for (std::size_t row = 0; row < chunk.rows; ++row) {
            const std::string& name = chunk.class_names[chunk.labels[row]];
            if (model_.live().classes().find(name) != ClassIndex::kUnknown) continue;
            if (row > first) learn_rows(rows_of(chunk, first, row));
            first = row;
            model_.add_class(name);
            note(arguments_.common, fmt::format("{} is a new class", in_quotes(name)));
            if (std::exchange(classes_added_, true)) continue;
            note(arguments_.common,
                 "until enough rows of a new class have come, answers for all classes are "
                 "unreliable");
        }
        learn_rows(rows_of(chunk, first, chunk.rows));
    }

    static Dataset rows_of(const Dataset& data, std::size_t first, std::size_t last) {
        std::vector<std::size_t> rows(last - first);
        std::iota(rows.begin(), rows.end(), first);
        return data.select(rows);
    }

    const Arguments& arguments_;
    Model& model_;
    Progress progress_;
    TrainProgress now_;
    double errors_ = 0;
    bool classes_added_ = false;
};

/// The rows of a chunk one by one: those before the first that cannot be learned are learned.
void learn_until_problem(const Dataset& chunk, Updater& updater) {
    for (std::size_t row = 0; row < chunk.rows; ++row) updater.learn(chunk.select({&row, 1}));
}

/// Writes the model, also in between if asked to.
class Saves {
  public:
    Saves(const Arguments& arguments, const Model& model)
        : arguments_(arguments), model_(model), replace_(arguments.common.force) {}

    void save() {
        model_.save(arguments_.output, replace_);
        replace_ = true;  // from now on the file is this run's
        last_ = std::chrono::steady_clock::now();
    }

    /// Rows until the next save is due, at most `most`.
    std::size_t rows_until(std::size_t done, std::size_t most) const {
        if (arguments_.every == 0) return most;
        return std::min<std::size_t>(most, arguments_.every - done % arguments_.every);
    }

    void rows_learned(std::size_t done) {
        const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - last_;
        const bool rows = arguments_.every > 0 && done % arguments_.every == 0;
        const bool time =
            arguments_.every_seconds > 0 && passed.count() >= arguments_.every_seconds;
        if (!rows && !time) return;
        save();
        note(arguments_.common, counted(done, "row") + " learned and saved");
    }

  private:
    const Arguments& arguments_;
    const Model& model_;
    bool replace_;
    std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

/// A stream ends with its last row, a signal, or a row that cannot be learned. Whatever was learned
/// before that is saved.
void learn_stream(const Arguments& arguments, ReadOptions reading, Updater& updater, Saves& saves) {
    const InterruptFlag interrupt(true);
    reading.cut_short = [&] { return interrupt.raised(); };
    const auto keep = [&](ErrorCode code, const std::string& what) {
        if (updater.done().sample == 0) return Error(code, what);
        saves.save();
        const auto kept = fmt::format("the {} rows before are learned and in {}",
                                      updater.done().sample, arguments.output);
        const bool hinted = what.find("; hint: ") != what.npos;
        return hinted ? Error(code, what + "; " + kept) : Error(code, what, kept);
    };
    try {
        RowStream stream("-", reading);
        Dataset chunk;
        while (stream.next(chunk, saves.rows_until(updater.done().sample, kChunkRows))) {
            try {
                updater.learn(chunk);
            } catch (const Error& error) {
                if (error.code() != ErrorCode::kData) throw;
                learn_until_problem(chunk, updater);
            }
            saves.rows_learned(updater.done().sample);
        }
        note_texts(arguments.common, stream.notes());
    } catch (const Error& error) {
        if (!interrupt.raised()) throw keep(error.code(), error.what());
    }
    if (interrupt.raised()) throw keep(ErrorCode::kInterrupted, "interrupted");
}

/// What --memory said, else the model's own, else kMemory.
std::optional<std::uint64_t> memory_of(const Arguments& arguments, const Model& model) {
    if (arguments.memory) return arguments.memory->memory;
    if (model.memory() || model.algorithm() != Algorithm::kMfb) return model.memory();
    return kMemory;
}

/// The user asked for neither of these.
void note_forgetting(const Arguments& arguments, const Model& model,
                     const std::optional<std::uint64_t>& memory) {
    if (!memory || model.memory() || arguments.memory) return;
    note(arguments.common, fmt::format("from now on, what the model learned fades over {} rows; "
                                       "--memory inf keeps it",
                                       *memory));
}

void note_polish(const Arguments& arguments, const Model& model) {
    if (!model.live().description().polished) return;
    note(arguments.common,
         "learning drops what polishing found: the clipped network is the posterior's signs again; "
         "pack --polish DATA polishes those");
}

void report(const Arguments& arguments, const Model& model, const TrainProgress& done) {
    const RunFigures figures{.network = model.live(),
                             .members = model.members(),
                             .rows = done.sample,
                             .threads = threads_used(arguments.threads),
                             .seconds = done.seconds,
                             .error_progressive = done.error_progressive};
    Json object = run_json(figures);
    object["model"] = arguments.output;
    write_result(arguments.common, object,
                 run_table(figures) + table_row("model", arguments.output));
}

void run_like_device(const Arguments& arguments, const Model& model, const ReadOptions& reading) {
    if (arguments.data == "-" || arguments.new_classes || arguments.memory) {
        throw Error(ErrorCode::kUsage,
                    "--like-device takes neither a stream nor --new-classes nor --memory");
    }
    const device::Network network = device_network_of(model, arguments.model);
    const Dataset data = load_dataset(arguments.data, reading, Split::kTrain);
    note_data(arguments.common, data);
    const DeviceUpdate update =
        update_like_device(model, network, data, static_cast<std::uint32_t>(arguments.device_seed));
    Saves(arguments, update.model).save();
    TrainProgress done;
    done.sample = update.report.rows;
    done.seconds = update.report.seconds;
    done.error_progressive = update.report.error_progressive;
    report(arguments, update.model, done);
}

void run(const Arguments& arguments) {
    check_apart({arguments.output}, data_files({arguments.data}));
    check_output(arguments.output, arguments.common.force);
    if (arguments.data != "-" && (arguments.every > 0 || arguments.every_seconds > 0)) {
        throw Error(ErrorCode::kUsage, "--every and --every-seconds are for streams", "DATA is -");
    }
    Model model = Model::load(arguments.model);
    ReadOptions reading = arguments.reading;
    reading.known = model.reading().known;
    note_polish(arguments, model);
    if (arguments.like_device) return run_like_device(arguments, model, reading);
    const auto memory = memory_of(arguments, model);
    note_forgetting(arguments, model, memory);
    model.set_memory(memory);
    Updater updater(arguments, model);
    Saves saves(arguments, model);
    if (arguments.data == "-") {
        learn_stream(arguments, reading, updater, saves);
    } else {
        const Dataset data = load_dataset(arguments.data, reading, Split::kTrain);
        note_data(arguments.common, data);
        updater.learn_all(data);
    }
    updater.finish();
    saves.save();
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
    add_output(*command, "-o,--output", arguments->output, "Write the new model to FILE")
        ->required();
    add_whole(*command, "--every", arguments->every, "Stream: save the model every N rows", 1);
    add_positive(*command, "--every-seconds", arguments->every_seconds,
                 "Stream: save the model every X seconds, if rows arrive");
    command
        ->add_option_function<std::string>(
            "--memory",
            [arguments](const std::string& text) {
                options::set(arguments->memory.emplace(), options::find("memory"), text,
                             "--memory");
            },
            "Rows over which what was learned fades, so that the model follows a stream that "
            "changes; later updates keep N (default: the model's own, or 10000)")
        ->type_name("N|inf");
    command->add_flag("--new-classes", arguments->new_classes,
                      "Labels that the model does not know become new classes");
    auto* like =
        command->add_flag("--like-device", arguments->like_device,
                          "Learn in whole numbers, bit for bit as the C of export --learn");
    add_whole(*command, "--device-seed", arguments->device_seed,
              "Seed of the device's rounding, as given to NAME_seed", 0, UINT32_MAX)
        ->needs(like);
    add_threads(*command, arguments->threads);
    add_reading(*command, arguments->reading);
    add_id(*command, arguments->reading);
    add_row_weight(*command, arguments->reading);
    add_common(*command, arguments->common);
    command->callback([arguments] { run(*arguments); });
}

}  // namespace bitbayes::cli
