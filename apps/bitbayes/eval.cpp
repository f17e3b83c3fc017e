#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "bitbayes/model.hpp"
#include "commands.hpp"
#include "options.hpp"
#include "report.hpp"

namespace bitbayes::cli {

namespace {

constexpr std::size_t kLargestTable = 30;

struct Arguments {
    Common common;
    ReadOptions reading;
    std::string model, data;
    unsigned threads = 0;
};

/// Rows are the truth, columns the answers of the Bayes average.
std::string confusion_table(const Evaluation& evaluation, const std::vector<std::string>& names) {
    if (names.size() > kLargestTable) return "";
    std::size_t width = 5;
    for (const auto& name : names) width = std::max(width, std::min<std::size_t>(name.size(), 12));
    std::string table = fmt::format("\n{:<{}}", "truth", width);
    for (const auto& name : names) table += fmt::format(" {:>{}.{}}", name, width, width);
    table += "  (columns: answers)\n";
    for (std::size_t truth = 0; truth < names.size(); ++truth) {
        table += fmt::format("{:<{}.{}}", names[truth], width, width);
        for (const auto count : evaluation.confusion[truth])
            table += fmt::format(" {:>{}}", count, width);
        table += "\n";
    }
    return table;
}

void run(Arguments& arguments) {
    const Model model = Model::load(arguments.model);
    arguments.reading.expected_features = model.features();
    const Dataset data = load_dataset(arguments.data, arguments.reading);
    note_data(arguments.common, data);
    const Evaluation evaluation = model.evaluate(data, arguments.threads);
    const RunFigures figures{.model = model.state(),
                             .rows = evaluation.rows,
                             .threads = threads_used(arguments.threads),
                             .backend = default_backend(),
                             .evaluation = evaluation};
    Json object = run_json(figures);
    object["confusion"] = evaluation.confusion;
    write_result(arguments.common, object,
                 evaluation_table(evaluation) + run_table(figures) +
                     confusion_table(evaluation, model.class_names()));
}

}  // namespace

void add_eval(CLI::App& app) {
    auto arguments = std::make_shared<Arguments>();
    auto* command =
        app.add_subcommand("eval", "Errors, NLL, Brier, ECE, validity and confusion on DATA");
    command->add_option("MODEL", arguments->model, "A model or checkpoint file")
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
