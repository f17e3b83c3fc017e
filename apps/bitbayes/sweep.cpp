#include "sweep/sweep.hpp"

#include <fmt/format.h>

#include <memory>

#include "bitbayes/types/error.hpp"
#include "commands.hpp"
#include "options.hpp"

namespace bitbayes::cli {

namespace {

void run(const sweep::Request& request) {
    const sweep::Outcome outcome = sweep::run_sweep(request);
    write_result(request.common, outcome.object, outcome.table);
    if (outcome.failed == 0) return;
    throw Error(ErrorCode::kInternal,
                fmt::format("{} of {} runs failed", outcome.failed, outcome.runs),
                "results.csv says why; --retry does them again");
}

}  // namespace

void add_sweep(CLI::App& app) {
    auto request = std::make_shared<sweep::Request>();
    auto* command = app.add_subcommand(
        "sweep", "Try many options of train, keep the figures of all and the best model");
    command
        ->add_option("CONFIG", request->config,
                     "TOML: data, how to test, and a grid, a list or random draws of options")
        ->required()
        ->type_name("");
    add_output(*command, "-o,--output", request->folder,
               "Folder for results; give it again to do what is missing")
        ->required()
        ->type_name("DIR");
    add_threads(*command, request->threads);
    command->add_flag("--retry", request->retry, "Do failed runs again");
    add_common(*command, request->common);
    command->footer(
        "Example of a CONFIG:\n"
        "  data = \"data.csv\"     # as DATA of train\n"
        "  folds = 5             # or hold_out = 0.2, or test = \"test.csv\"\n"
        "  [options]             # of every run\n"
        "  epochs = 10\n"
        "  [grid]                # all combinations\n"
        "  dense = [256, 1024]\n"
        "  evidence = [0.1, 1]");
    command->callback([request] { run(*request); });
}

}  // namespace bitbayes::cli
