#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/aligned.hpp"
#include "base/atomic_file.hpp"
#include "bitbayes/read.hpp"
#include "bitbayes/types/error.hpp"
#include "class_report.hpp"
#include "class_weight_file.hpp"
#include "commands.hpp"
#include "cross_validation.hpp"
#include "cuda/card.hpp"
#include "data/broadcast.hpp"
#include "data/split.hpp"
#include "default_output.hpp"
#include "dist/collectives.hpp"
#include "learn/live_model.hpp"
#include "members.hpp"
#include "model/model_file.hpp"
#include "options/options.hpp"
#include "terminal/outputs.hpp"
#include "terminal/ranks.hpp"
#include "terminal/report.hpp"
#include "terminal/training.hpp"
#include "train_arguments.hpp"
#include "training/row_weights.hpp"
#include "training/trainer.hpp"

namespace bitbayes::cli {

namespace {

constexpr double kHoldOut = 0.2;  // where nothing says how to test

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
    const auto checkpoints = checkpoint_files(arguments.checkpoint, arguments.members);
    std::vector<std::string> outputs = checkpoints;
    outputs.insert(outputs.end(), others.begin(), others.end());
    check_apart(outputs, data_files({arguments.data, arguments.test}));
    check_apart(others, checkpoint_files(arguments.resume, arguments.members));
    for (const auto& output : others) {
        if (!output.empty()) check_output(output, arguments.common.force);
    }
    for (const auto& file : checkpoints) check_output(file, replaces_checkpoint(arguments));
}

/// An option that names a column has to find one.
void check_columns_read(const TrainArguments& arguments, const Dataset& data) {
    const auto check = [&](const char* flag, const std::string& column, bool read) {
        if (column.empty() || read) return;
        throw Error(ErrorCode::kUsage,
                    fmt::format("{}: {} has no column '{}'", flag, data.name, column),
                    "only CSV files have such columns");
    };
    check("--group", arguments.reading.group, !data.groups.empty());
    check("--row-weight", arguments.reading.row_weight, !data.weights.empty());
}

/// Whether kHoldOut of some class is at least half a row.
bool can_hold_out(const Dataset& data) {
    std::vector<std::size_t> rows(data.class_names.size(), 0);
    for (const std::uint32_t label : data.labels) ++rows[label];
    return std::any_of(rows.begin(), rows.end(),
                       [](std::size_t n) { return kHoldOut * static_cast<double>(n) >= 0.5; });
}

/// The training set, and the test set if there is one. `by_default`: rows are held out unless DATA
/// has a test split; arguments.hold_out then says so.
LoadedData load_splits(TrainArguments& arguments, bool by_default) {
    ReadOptions reading = arguments.reading;
    reading.max_memory = arguments.options({}).max_memory;
    LoadedData data = load_data(arguments.data, reading);
    note_data(arguments.common, data.train);
    check_columns_read(arguments, data.train);
    if (by_default && !data.has_test() && can_hold_out(data.train)) arguments.hold_out = kHoldOut;
    if (arguments.hold_out) {
        if (data.has_test()) {
            throw Error(ErrorCode::kUsage,
                        arguments.data + " has a test split: --hold-out has nothing to do",
                        "leave it out, or choose the rows with :train");
        }
        const std::uint64_t seed = arguments.options({}).seed;
        return data::hold_out(std::move(data.train), *arguments.hold_out, seed);
    }
    if (arguments.folds > 0 && data.has_test()) {
        throw Error(ErrorCode::kUsage, arguments.data + " has a test split: --cv has nothing to do",
                    "leave it out, or choose the rows with :train");
    }
    if (!arguments.test.empty()) {
        reading.known = Rows(data.train).columns();
        data.test = load_dataset(arguments.test, reading);
    }
    if (data.has_test()) note_data(arguments.common, data.test);
    return data;
}

LoadedData load(TrainArguments& arguments, bool by_default) {
    LoadedData data = load_splits(arguments, by_default);
    if (!arguments.class_weights.empty()) {
        const auto weights = read_class_weights(arguments.class_weights);
        data.train.weights = training::row_weights(data.train, weights);
    }
    return data;
}

/// --read each: ranks whose files differ would train different networks.
void check_same_data(const LoadedData& data) {
    const std::string train = data::fingerprint(data.train);
    const std::string mine =  // as long on every rank
        train + (data.has_test() ? data::fingerprint(data.test) : std::string(train.size(), '-'));
    std::string first = mine;
    ranks().broadcast(std::as_writable_bytes(std::span(first)));
    dist::together(ranks(), [&] {
        if (mine == first) return;
        throw Error(ErrorCode::kData, data.train.name + ": not the rows that rank 0 has read",
                    "give every rank the same files, or leave out --read each");
    });
}

/// On every rank; what one cannot read is an error of all.
LoadedData load_together(TrainArguments& arguments, bool by_default) {
    const bool each = arguments.read == "each";
    LoadedData data;
    dist::together(ranks(), [&] {
        if (each || ranks().first()) data = load(arguments, by_default);
    });
    if (!ranks().several()) return data;
    if (each) {
        check_same_data(data);
    } else {
        data::broadcast(ranks(), data.train);
        data::broadcast(ranks(), data.test);
    }
    return data;
}

/// ", label: column 4, kind"; empty if the reader does not say.
std::string label_text(const Dataset& data) {
    const std::size_t at = data.roles.find('l');
    if (at == data.roles.npos) return "";
    const auto before = data.roles.begin() + static_cast<std::ptrdiff_t>(at);
    const auto features = std::count(data.roles.begin(), before, 'f');
    const std::size_t other = at - static_cast<std::size_t>(features);
    const bool named = other < data.other_names.size() && !data.other_names[other].empty();
    return fmt::format(", label: column {}{}", at,
                       named ? ", " + names_text({data.other_names[other]}) : "");
}

/// "26 classes", or "17 of 26 classes" if the others have no rows.
std::string classes_text(const Dataset& data) {
    const std::size_t named = data.class_names.size();
    const std::size_t present = std::set(data.labels.begin(), data.labels.end()).size();
    return present == named ? fmt::format("{} classes", named)
                            : fmt::format("{} of {} classes", present, named);
}

void note_rows(const Common& common, const Dataset& data) {
    if (common.json) return;
    note(common, fmt::format("{}: {} rows, {} features, {}{}", data.name, data.rows, data.features,
                             classes_text(data), label_text(data)));
}

/// "512, 512 shared hidden neurons, 21 hidden neurons per class"
std::string hidden_text(const TrainOptions& options) {
    std::vector<std::string> parts;
    if (!options.dense.empty()) {
        parts.push_back(fmt::format("{} shared hidden neurons", fmt::join(options.dense, ", ")));
    }
    if (const auto& fan_ins = options.tree.fan_ins; !fan_ins.empty()) {
        parts.push_back(fmt::format("{} hidden neurons per class", fmt::join(fan_ins, ", ")));
    }
    return parts.empty() ? "no hidden neurons" : fmt::format("{}", fmt::join(parts, ", "));
}

/// `options` are decided.
std::string network_text(const learn::Architecture& architecture, const TrainOptions& options) {
    std::string text =
        fmt::format("network {}: {} on {} inputs; {}", architecture_text(architecture),
                    hidden_text(options), architecture.inputs, counted(*options.epochs, "epoch"));
    if (options.batch) text += ", batches of " + counted(*options.batch, "row");
    return text;
}

/// What was chosen, and why.
void note_choices(const TrainArguments& arguments, const LoadedData& data,
                  const TrainOptions& options, const learn::ModelState& model) {
    const auto& common = arguments.common;
    if (common.json) return;
    note_rows(common, data.train);
    if (arguments.hold_out) {
        note(common,
             fmt::format("{} more rows are held out: not learned, but tested on", data.test.rows));
    } else if (data.has_test()) {
        note(common,
             fmt::format("tested on {} of {}", counted(data.test.rows, "row"), data.test.name));
    }
    note(common,
         fmt::format("preprocess {}: {}", model.preprocessing.name(), model.preprocessing.reason));
    note(common, network_text(model.architecture, options));
}

/// "evidence 2, of 0.67 (NLL 0.31), 2 (NLL 0.28), 6 (NLL 0.33) on training rows set aside"
std::string trials_text(const TrainOptions& options, std::vector<EvidenceTrial> trials) {
    std::sort(trials.begin(), trials.end(),
              [](const auto& a, const auto& b) { return a.evidence < b.evidence; });
    std::vector<std::string> parts;
    for (const EvidenceTrial& trial : trials) {
        parts.push_back(fmt::format("{:.2g} (NLL {:.3f})", trial.evidence, trial.nll));
    }
    return fmt::format("evidence {:.4g}, of {} on training rows set aside", options.evidence.first,
                       fmt::join(parts, ", "));
}

/// How ranks share the network.
std::string ranks_text(const learn::Architecture& architecture) {
    const std::size_t size = ranks().size(), trees = architecture.outputs();
    if (!architecture.is_tree()) {
        return fmt::format("{} ranks share the neurons of each layer, {} neurons at a time", size,
                           kLanes);
    }
    const std::size_t most = share_of(trees, 0, size).count;
    const std::string each =
        fmt::format("{} ranks share {} trees, at most {} each", size, trees, most);
    return trees >= size ? each : fmt::format("{}: {} ranks idle", each, size - trees);
}

/// Before anything is learned.
void note_plan(const TrainArguments& arguments, const LoadedData& data, const TrainOptions& options,
               const learn::ModelState& model) {
    if (arguments.model.empty()) {
        note(arguments.common, "the model will not be kept; -o FILE keeps it");
    }
    note_choices(arguments, data, options, model);
}

void note_start(const TrainArguments& arguments, const Training& training) {
    const auto& common = arguments.common;
    const TrainOptions& options = training.trainer().options();
    const learn::LiveModel& network = training.trainer().live();
    if (!common.json && !training.trials().empty()) {
        note(common, trials_text(options, training.trials()));
    }
    if (options.backend == "auto" && cuda::may_have_card()) {
        note(common, "a GPU is there; --backend cuda learns on it, to the same bytes");
    }
    if (!common.verbose) return;
    note(common, network.learner().where());
    if (ranks().several()) note(common, ranks_text(network.description().architecture));
}

void note_end(const TrainArguments& arguments) {
    if (arguments.common.json || arguments.model.empty()) return;
    note(arguments.common, fmt::format("the model is in {}; next: bitbayes predict {} NEW.csv",
                                       arguments.model, arguments.model));
}

/// --metrics: written after each epoch, and each time in whole.
class MetricsFile {
  public:
    explicit MetricsFile(const TrainArguments& arguments)
        : path_(arguments.metrics), existing_(existing(arguments.common)) {}

    void write(const std::vector<EpochReport>& history) {
        if (path_.empty() || !ranks().first()) return;
        std::string lines;
        for (const auto& epoch : history) lines += to_line(epoch_json(epoch));
        write_atomically(path_, lines, existing_);
        existing_ = Existing::kReplace;  // from now on the file is this run's
    }

  private:
    const std::string path_;
    Existing existing_;
};

/// Before hours of training: whether the model and a checkpoint will fit on their disks.
void check_room_for(const TrainArguments& arguments, const learn::ModelState& model) {
    const std::uint64_t bytes = model.architecture.weights() * sizeof(float);
    dist::together(ranks(), [&] {
        for (const std::string& file : {arguments.model, arguments.checkpoint}) {
            if (ranks().first() && !file.empty()) check_room(file, bytes);
        }
    });
}

/// Learns, and keeps the model.
Outcome learn(const TrainArguments& arguments, const LoadedData& data, const TrainOptions& asked) {
    if (arguments.members > 1) {
        return train_members(
            arguments, data, asked, replaces_checkpoint(arguments),
            [&](const learn::ModelState& model, const TrainOptions& decided) {
                note_plan(arguments, data, decided, model);
            },
            [&](const Training& first) { note_start(arguments, first); });
    }
    const CheckpointFiles files{arguments.checkpoint, arguments.resume, arguments.every,
                                replaces_checkpoint(arguments)};
    Training training(arguments.common, data, asked, files, ranks(),
                      [&](const learn::ModelState& model, const TrainOptions& decided) {
                          check_room_for(arguments, model);
                          note_plan(arguments, data, decided, model);
                      });
    const Trainer& trainer = training.trainer();
    const TrainOptions& options = trainer.options();
    note_start(arguments, training);
    MetricsFile metrics(arguments);
    const std::string& file = arguments.model;
    const auto save = [&] {
        model::save_model(file, trainer.live().snapshot(), existing(arguments.common), ranks());
    };
    const auto keep = [&] {
        save();
        return fmt::format(
            "{0} has all that was learned, not polished; `bitbayes pack {0} --polish DATA -o NET` "
            "polishes",
            file);
    };
    training.run([&] { metrics.write(training.history()); },
                 file.empty() ? std::function<std::string()>() : keep);
    metrics.write(training.history());
    if (!file.empty()) save();

    const auto& history = training.history();
    const RunFigures figures{.network = trainer.live(),
                             .rows = data.train.rows,
                             .threads = trainer.live().learner().threads(),
                             .seconds = trainer.seconds(),
                             .seconds_auto = training.seconds_auto(),
                             .seconds_polish = trainer.seconds_polish(),
                             .error_progressive = trainer.error_progressive(),
                             .evaluation = trainer.final_test()};
    if (figures.evaluation && options.algorithm == Algorithm::kMfb) {
        note_clipping(arguments.common, figures.evaluation->error_map,
                      figures.evaluation->error_mean);
    }
    Outcome outcome{run_json(figures), run_table(figures)};
    if (options.evidence.first != options.evidence.last) {
        outcome.object["evidence"] = options::text(options, options::find("evidence"));
    }
    if (figures.evaluation) outcome.table = evaluation_table(*figures.evaluation) + outcome.table;
    outcome.object["batch"] = options.batch.value_or(1);
    outcome.object["epochs"] = *options.epochs;
    outcome.object["polish"] = options.polish;
    outcome.object["ranks"] = ranks().size();
    outcome.object["seconds_auto"] = figures.seconds_auto;
    outcome.object["seconds_polish"] = figures.seconds_polish;
    outcome.object["model"] = arguments.model.empty() ? Json() : Json(arguments.model);
    outcome.object["history"] = Json::array();
    for (const auto& epoch : history) outcome.object["history"].push_back(epoch_json(epoch));
    if (options.batch) outcome.table += table_row("batch", std::to_string(*options.batch));
    outcome.table += table_row("model", arguments.model.empty() ? "-" : arguments.model);
    if (figures.evaluation) {
        outcome.table += confusion_table(figures.evaluation->confusion,
                                         trainer.live().description().class_names);
    }
    return outcome;
}

Outcome cross_validate(const TrainArguments& arguments, const LoadedData& data,
                       const TrainOptions& options) {
    if (arguments.model.empty()) note_rows(arguments.common, data.train);
    const auto result = run_folds(arguments.common, data.train, arguments.folds, options);
    if (result.untested > 0) {
        note(arguments.common,
             fmt::format("never tested, since their classes are in one fold only: {}",
                         counted(result.untested, "row")));
    }
    Outcome outcome{{{"n", data.train.rows}, {"seed", options.seed}, {"model", Json()}},
                    cross_validation_table(result)};
    if (!arguments.model.empty()) {
        Outcome whole = learn(arguments, data, options);
        outcome.object = std::move(whole.object);
        outcome.table += "\n" + whole.table;
    }
    outcome.object["cv"] = cross_validation_json(result);
    return outcome;
}

void run(TrainArguments arguments) {
    arguments.options({});  // contradictory options stop the run before any work
    if (arguments.folds > 0 && arguments.model.empty() && !arguments.metrics.empty()) {
        throw Error(ErrorCode::kUsage, "--metrics: with --cv only the training for -o writes it");
    }
    const bool only_data = arguments.only_data();
    if (only_data) arguments.model = default_model_name(arguments.data);
    if (arguments.read == "each" && arguments.data == "-") {
        throw Error(ErrorCode::kUsage, "--read each: only rank 0 has a standard input",
                    "leave it out: rank 0 then reads for all");
    }
    dist::together(ranks(), [&] {
        if (ranks().first()) check_outputs(arguments);
    });
    note_tasks_without_mpi(arguments.common);
    const LoadedData data = load_together(arguments, only_data);
    const TrainOptions options = arguments.options(default_options(data.train));
    const Outcome outcome = arguments.folds > 0 ? cross_validate(arguments, data, options)
                                                : learn(arguments, data, options);
    write_result(arguments.common, outcome.object, outcome.table);
    note_end(arguments);
}

}  // namespace

void add_train(CLI::App& app) {
    auto arguments = std::make_shared<TrainArguments>();
    auto* command = app.add_subcommand("train", "Learn a network from DATA");
    add_train_arguments(*command, *arguments);
    command->callback([arguments] { run(*arguments); });
}

}  // namespace bitbayes::cli
