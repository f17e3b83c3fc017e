#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "bitbayes/read.hpp"
#include "commands.hpp"
#include "network_file.hpp"
#include "options.hpp"
#include "packed_report.hpp"
#include "terminal/report.hpp"

namespace bitbayes::cli {

namespace {

constexpr std::size_t kLargestTable = 30, kLargestMatrix = 1000;  // classes

struct Arguments {
    Common common;
    ReadOptions reading;
    std::string model, data;
    unsigned threads = 0;
};

/// Rows are the truth, columns the answers.
std::string confusion_table(const Confusion& confusion, const std::vector<std::string>& names) {
    if (names.size() > kLargestTable) return "";
    std::size_t width = 5;
    for (const auto& name : names) width = std::max(width, std::min<std::size_t>(name.size(), 12));
    std::string table = fmt::format("\n{:<{}}", "truth", width);
    for (const auto& name : names) table += fmt::format(" {:>{}.{}}", name, width, width);
    table += "  (columns: answers)\n";
    for (std::size_t truth = 0; truth < names.size(); ++truth) {
        table += fmt::format("{:<{}.{}}", names[truth], width, width);
        for (std::size_t answer = 0; answer < names.size(); ++answer) {
            const auto count = confusion.count(static_cast<std::uint32_t>(truth),
                                               static_cast<std::uint32_t>(answer));
            table += fmt::format(" {:>{}}", count, width);
        }
        table += "\n";
    }
    return table;
}

/// A matrix [truth][answer]; for many classes the entries that are not 0.
void add_confusion(Json& object, const Confusion& confusion) {
    if (confusion.classes() <= kLargestMatrix) {
        object["confusion"] = confusion.dense();
        return;
    }
    object["confusion"] = Json();
    Json& entries = object["confusion_entries"] = Json::array();
    for (const auto& [pair, count] : confusion.entries()) {
        entries.push_back({pair.first, pair.second, count});
    }
}

void run_model(const Arguments& arguments, const Model& model, const Dataset& data) {
    const Evaluation evaluation = model.evaluate(data, arguments.threads);
    const RunFigures figures{.network = model.live(),
                             .rows = evaluation.rows,
                             .threads = threads_used(arguments.threads),
                             .evaluation = evaluation};
    Json object = run_json(figures);
    add_confusion(object, evaluation.confusion);
    write_result(arguments.common, object,
                 evaluation_table(evaluation) + run_table(figures) +
                     confusion_table(evaluation.confusion, model.class_names()));
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
    add_confusion(object, evaluation.confusion);
    write_result(arguments.common, object,
                 evaluation_table(evaluation, packed.network()) + packed_table(packed.network()) +
                     confusion_table(evaluation.confusion, packed.class_names()));
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
}

}  // namespace

void add_eval(CLI::App& app) {
    auto arguments = std::make_shared<Arguments>();
    auto* command =
        app.add_subcommand("eval", "Errors, NLL, Brier, ECE, validity and confusion on DATA");
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
