#include <fmt/format.h>

#include <memory>

#include "base/atomic_file.hpp"
#include "bitbayes/types/error.hpp"
#include "commands.hpp"
#include "options.hpp"
#include "report/document.hpp"
#include "reproduce/pages.hpp"
#include "reproduce/results.hpp"
#include "terminal/output.hpp"
#include "terminal/signals.hpp"

namespace bitbayes::cli {

namespace {

using reproduce::Plan;

Json run_or_explain(const Plan& plan) {
    try {
        return reproduce::run_experiments(plan);
    } catch (const Error& error) {
        if (error.code() != ErrorCode::kInterrupted) throw;
        throw Error(ErrorCode::kInterrupted, "interrupted", kGoesOn);
    }
}

std::string verdict_table(const Json& results) {
    std::string table;
    for (const Json& v : results["verdicts"]) {
        const auto text = [&](const char* key) { return v[key].get<std::string>(); };
        table += fmt::format("{:<14} {} (paper: {}; here: {})\n", text("verdict"), text("claim"),
                             text("paper"), text("here"));
    }
    return table;
}

void run(const Plan& plan) {
    say_that_it_goes_on();
    Json results = run_or_explain(plan);
    if (results.is_null()) return;
    results["verdicts"] = reproduce::verdicts(results);
    write_atomically(plan.folder + "/results.json", results.dump(1) + "\n");
    report::write_report(reproduce::report_of(results), plan.folder);
    note(plan.common, fmt::format("the report is {}/report.html", plan.folder));
    write_result(plan.common, results, verdict_table(results));
}

}  // namespace

void add_reproduce(CLI::App& app) {
    auto plan = std::make_shared<Plan>();
    auto* command = app.add_subcommand("reproduce", "The paper's experiments, beside its figures");
    add_choice(
        *command, "WHAT", plan->what, {"teacher-student", "mnist", "single-layer", "dense", "all"},
        "The experiment; dense: networks beyond the paper, against its trees; all also checks the "
        "claims that the paper makes in words")
        ->required();
    add_output(*command, "-o,--output", plan->folder,
               "Folder for the report; give it again to continue an interrupted run")
        ->required()
        ->type_name("DIR");
    command->add_flag("--quick", plan->quick, "A part of the data: minutes instead of hours");
    const auto whole = [&](const char* name, std::optional<std::uint64_t>& target,
                           const char* help) {
        command
            ->add_option_function<std::string>(
                name,
                [&target, name](const std::string& text) {
                    target = parse_whole(name, text, 1, UINT32_MAX);
                },
                help)
            ->type_name("N");
    };
    whole("--trials", plan->trials_asked,
          "Teachers per size (default: 10; quick: 5) and seeds on MNIST (at most 3; quick: always "
          "1)");
    whole("--epochs", plan->epochs_asked,
          "Epochs on MNIST (default: 30, dense 20; quick: 8, dense 4)");
    add_whole(*command, "--seed", plan->seed, "Seed of the first trial")->default_str("1");
    add_threads(*command, plan->threads);
    add_card(*command, plan->backend,
             "What the training runs on images compute on; results do not change");
    add_common(*command, plan->common);
    command->footer(
        "Example:\n"
        "  bitbayes reproduce mnist --quick -o report     # writes report/report.html");
    command->callback([plan] { run(*plan); });
}

}  // namespace bitbayes::cli
