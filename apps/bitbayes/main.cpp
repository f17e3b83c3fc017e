// bitbayes: parses the command line, runs one command, turns every failure into one line and an
// exit code.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <exception>
#include <memory>
#include <new>
#include <string>

#include "bitbayes/bitbayes.hpp"
#include "commands.hpp"
#include "options.hpp"
#include "terminal/output.hpp"
#include "terminal/signals.hpp"
#include "train_arguments.hpp"

namespace {

using bitbayes::Error;
using bitbayes::ErrorCode;
namespace cli = bitbayes::cli;

void describe(CLI::App& app) {
    app.set_version_flag("--version", fmt::format("bitbayes {}", bitbayes::version()));
    const auto formatter = std::make_shared<cli::HelpFormatter>();
    formatter->column_width(40);
    formatter->label("SUBCOMMAND", "COMMAND");
    formatter->label("Positionals", "Arguments");
    app.formatter(formatter);
    app.require_subcommand(1);
    app.footer(
        "First steps:\n"
        "  bitbayes train data.csv --hold-out 0.2 -o model.bb\n"
        "  bitbayes predict model.bb new.csv\n"
        "bitbayes COMMAND --help explains a command.");
    cli::add_fetch(app);
    cli::add_train(app);
    cli::add_update(app);
    cli::add_eval(app);
    cli::add_predict(app);
    cli::add_info(app);
    cli::add_pack(app);
    cli::add_export(app);
    cli::add_reproduce(app);
    cli::add_bench(app);
    cli::add_check_golden(app);
    cli::add_backends(app);
    cli::add_completion(app);
    for (auto* command : app.get_subcommands({})) command->group("Commands");
}

Error usage_error(const CLI::App& app, const CLI::ParseError& error) {
    const auto commands = app.get_subcommands();
    if (!commands.empty()) {
        const auto hint = fmt::format("see bitbayes {} --help", commands.front()->get_name());
        return Error(ErrorCode::kUsage, error.what(), hint);
    }
    const auto unknown = app.remaining();
    const auto what = unknown.empty() ? std::string("a command is missing")
                                      : fmt::format("'{}' is not a command", unknown.front());
    return Error(ErrorCode::kUsage, what, "see bitbayes --help");
}

void parse_and_run(CLI::App& app, int argc, char** argv) {
    try {
        app.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
        cli::write_result(app.help());
    } catch (const CLI::CallForVersion& version) {
        cli::write_result(std::string(version.what()) + "\n");
    } catch (const CLI::ParseError& error) {
        throw usage_error(app, error);
    }
}

int fail(ErrorCode code, const std::string& text) {
    cli::write_error(text);
    return static_cast<int>(code);
}

}  // namespace

int main(int argc, char** argv) {
    cli::guard_standard_files();
    cli::exit_on_interrupt();
    try {
        CLI::App app("Neural networks with weights +1 and -1, learned by Bayes updates",
                     "bitbayes");
        describe(app);
        parse_and_run(app, argc, argv);
        return 0;
    } catch (const Error& error) {
        return fail(error.code(), cli::with_flags(error.what()));
    } catch (const std::bad_alloc&) {
        // Without a string, which would need memory.
        cli::write_talk(
            "bitbayes: error: out of memory; hint: use fewer rows (#A:B) or a smaller network\n");
        return static_cast<int>(ErrorCode::kInternal);
    } catch (const std::exception& error) {
        return fail(ErrorCode::kInternal, fmt::format("internal: {}", error.what()));
    }
}
