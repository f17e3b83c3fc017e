#include <fmt/format.h>

#include <memory>

#include "bitbayes/read.hpp"
#include "class_report.hpp"
#include "commands.hpp"
#include "network_file.hpp"
#include "options.hpp"
#include "packed_report.hpp"
#include "terminal/report.hpp"

namespace bitbayes::cli {

namespace {

struct Arguments {
    Common common;
    ReadOptions reading;
    std::string model, data;
    unsigned threads = 0;
};

void run_model(const Arguments& arguments, const Model& model, const Dataset& data) {
    const Evaluation evaluation = model.evaluate(data, arguments.threads);
    const RunFigures figures{.network = model.live(),
                             .rows = evaluation.rows,
                             .threads = threads_used(arguments.threads),
                             .evaluation = evaluation};
    Json object = run_json(figures);
    const auto& names = model.class_names();
    add_confusion(object, evaluation.confusion);
    add_class_figures(object, evaluation.per_class, evaluation.macro, names);
    write_result(arguments.common, object,
                 evaluation_table(evaluation) + run_table(figures) +
                     class_table(evaluation.per_class, evaluation.macro, names) +
                     confusion_table(evaluation.confusion, names));
}

/// The keys of a model's evaluation, null where a packed network has no such figure, and those of
/// packed networks.
void run_packed(const Arguments& arguments, const PackedNetwork& packed, const Dataset& data) {
    const PackedEvaluation evaluation = packed.evaluate(data, arguments.threads);
    Json object{{"n", evaluation.rows}};
    object.update(packed_json(packed.network()));
    object["threads"] = threads_used(arguments.threads);
    object["backend"] = "packed";
    for (const char* key : {"seconds", "error_mean", "nll", "brier", "ece", "error_progressive"}) {
        object[key] = Json();
    }
    object.update(evaluation_json(evaluation));
    const auto& names = packed.class_names();
    add_confusion(object, evaluation.confusion);
    add_class_figures(object, evaluation.per_class, evaluation.macro, names);
    write_result(arguments.common, object,
                 evaluation_table(evaluation, packed.network()) + packed_table(packed.network()) +
                     class_table(evaluation.per_class, evaluation.macro, names) +
                     confusion_table(evaluation.confusion, names));
}

void run(Arguments& arguments) {
    const NetworkFile file = load_network(arguments.model);
    arguments.reading.known = file.known();
    const Dataset data = load_dataset(arguments.data, arguments.reading);
    note_data(arguments.common, data);
    if (file.model) {
        run_model(arguments, *file.model, data);
    } else {
        run_packed(arguments, *file.packed, data);
    }
    note_threads(arguments.common, arguments.threads);
}

}  // namespace

void add_eval(CLI::App& app) {
    auto arguments = std::make_shared<Arguments>();
    auto* command = app.add_subcommand(
        "eval", "How well a network answers DATA: errors, probabilities, each class");
    command->add_option("MODEL", arguments->model, "A model, checkpoint or packed network")
        ->required()
        ->type_name("");
    command->add_option("DATA", arguments->data, "Labelled rows (its test split, if it has two)")
        ->required()
        ->type_name("");
    add_threads(*command, arguments->threads);
    add_reading(*command, arguments->reading);
    add_common(*command, arguments->common);
    command->callback([arguments] { run(*arguments); });
}

}  // namespace bitbayes::cli
