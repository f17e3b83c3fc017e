#include <fmt/format.h>

#include <memory>

#include "base/folder.hpp"
#include "bitbayes/read.hpp"
#include "bitbayes/types/error.hpp"
#include "class_report.hpp"
#include "commands.hpp"
#include "eval_report.hpp"
#include "network_file.hpp"
#include "options.hpp"
#include "packed_report.hpp"
#include "terminal/outputs.hpp"
#include "terminal/report.hpp"

namespace bitbayes::cli {

namespace {

struct Arguments {
    Common common;
    ReadOptions reading;
    std::string model, data, report, ood;
    unsigned threads = 0;
};

Dataset load(const Arguments& arguments, const std::string& data) {
    const Dataset loaded = load_dataset(data, arguments.reading);
    note_data(arguments.common, loaded);
    return loaded;
}

void write_report(const Arguments& arguments, const Model& model, const Dataset& data,
                  const Evaluation& evaluation) {
    EvalReport report = report_on(model, data, evaluation, arguments.threads);
    report.model = arguments.model;
    report.data = arguments.data;
    if (!arguments.ood.empty()) {
        add_unknown(report, model, arguments.ood, load(arguments, arguments.ood),
                    arguments.threads);
    }
    FolderFiles files = report::to_files(to_document(report), "index");
    files["report.json"] =
        to_json(report).dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
    std::vector<std::string> outputs, inputs = data_files({arguments.data, arguments.ood});
    for (const auto& [name, text] : files) outputs.push_back(arguments.report + "/" + name);
    inputs.push_back(arguments.model);
    check_apart(outputs, inputs);
    write_files(arguments.report, files);
    note(arguments.common, fmt::format("the report is {}/index.html", arguments.report));
}

void run_model(const Arguments& arguments, const Model& model, const Dataset& data) {
    const Evaluation evaluation = model.evaluate(data, arguments.threads);
    const RunFigures figures{.network = model.live(),
                             .members = model.members(),
                             .rows = evaluation.rows,
                             .threads = threads_used(arguments.threads),
                             .evaluation = evaluation};
    Json object = run_json(figures);
    const auto& names = model.class_names();
    add_confusion(object, evaluation.confusion);
    add_class_figures(object, evaluation.per_class, evaluation.macro, names);
    if (!arguments.report.empty()) {
        write_report(arguments, model, data, evaluation);
        object["report"] = arguments.report;
    }
    write_result(arguments.common, object,
                 evaluation_table(evaluation) + run_table(figures) +
                     class_table(evaluation.per_class, evaluation.macro, names) +
                     confusion_table(evaluation.confusion, names));
}

/// The keys of a model's evaluation, null where a packed network has no such figure, and those of
/// packed networks.
void run_packed(const Arguments& arguments, const PackedNetwork& packed, const Dataset& data) {
    const PackedEvaluation evaluation = packed.evaluate(data, arguments.threads);
    note_outside(arguments.common, evaluation.outside);
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
    const bool reports = !arguments.report.empty();
    if (reports) check_folder(arguments.report, arguments.common.force);
    const NetworkFile file = load_network(arguments.model);
    if (reports && file.packed) {
        throw Error(ErrorCode::kUsage,
                    fmt::format("{}: a packed network has no probabilities", arguments.model),
                    "--report needs the model that it was made from");
    }
    arguments.reading.known = file.known();
    const Dataset data = load(arguments, arguments.data);
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
    auto* report = add_output(*command, "--report", arguments->report,
                              "Write a page with figures into a new or empty folder: can the "
                              "probabilities be trusted?")
                       ->type_name("DIR");
    command
        ->add_option(
            "--ood", arguments->ood,
            "With --report: rows of another kind, labelled or not, to be told from those of DATA")
        ->needs(report)
        ->type_name("DATA");
    add_threads(*command, arguments->threads);
    add_reading(*command, arguments->reading);
    add_common(*command, arguments->common);
    command->callback([arguments] { run(*arguments); });
}

}  // namespace bitbayes::cli
