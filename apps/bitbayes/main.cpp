// bitbayes: parses the command line, runs one command, turns every failure into one line and an
// exit code.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "bitbayes/bitbayes.hpp"
#include "commands.hpp"
#include "options.hpp"
#include "terminal/flags.hpp"
#include "terminal/output.hpp"
#include "terminal/ranks.hpp"
#include "terminal/signals.hpp"
#include "terminal/suggestion.hpp"

namespace {

using bitbayes::Error;
using bitbayes::ErrorCode;
namespace cli = bitbayes::cli;

void describe(CLI::App& app) {
    app.set_version_flag("--version", fmt::format("bitbayes {}", bitbayes::version()));
    const auto formatter = std::make_shared<cli::HelpFormatter>();
    formatter->label("SUBCOMMAND", "COMMAND");
    formatter->label("Positionals", "Arguments");
    app.formatter(formatter);
    app.require_subcommand(1);
    cli::add_fetch(app);
    cli::add_train(app);
    cli::add_update(app);
    cli::add_eval(app);
    cli::add_predict(app);
    cli::add_info(app);
    cli::add_pack(app);
    cli::add_export(app);
    cli::add_sweep(app);
    cli::add_reproduce(app);
    cli::add_bench(app);
    cli::add_check_golden(app);
    cli::add_backends(app);
    cli::add_completion(app);
    for (auto* command : app.get_subcommands({})) command->group("Commands");
    app.footer(  // after the commands, which would inherit it
        "First steps:\n"
        "  bitbayes train data.csv          # learns data.bb, tests it on a fifth of the rows\n"
        "  bitbayes predict data.bb new.csv\n"
        "bitbayes COMMAND --help explains a command.");
}

std::string did_you_mean(const std::string& word, const std::vector<std::string>& candidates) {
    const auto meant = cli::nearest(word, candidates);
    return meant ? fmt::format("did you mean {}? ", *meant) : "";
}

/// The first option that the command does not have; empty if that is not what is wrong.
std::string unknown_option(const CLI::App& command) {
    for (const std::string& extra : command.remaining()) {
        if (extra.starts_with("-") && extra != "-") return extra.substr(0, extra.find('='));
    }
    return "";
}

Error command_error(const CLI::App& command, const CLI::ParseError& error) {
    const auto help = fmt::format("see bitbayes {} --help", command.get_name());
    const std::string unknown = unknown_option(command);
    if (unknown.empty()) return Error(ErrorCode::kUsage, error.what(), help);
    std::vector<std::string> names;
    for (const auto* option : command.get_options()) {
        for (const auto& name : option->get_lnames()) names.push_back("--" + name);
    }
    return Error(ErrorCode::kUsage, fmt::format("'{}' is not an option", unknown),
                 did_you_mean(unknown, names) + help);
}

Error usage_error(const CLI::App& app, const CLI::ParseError& error) {
    const auto commands = app.get_subcommands();
    if (!commands.empty()) return command_error(*commands.front(), error);
    const auto unknown = app.remaining();
    if (unknown.empty()) {
        return Error(ErrorCode::kUsage, "a command is missing", "see bitbayes --help");
    }
    std::vector<std::string> names;
    for (const auto* command : app.get_subcommands({})) names.push_back(command->get_name());
    return Error(ErrorCode::kUsage, fmt::format("'{}' is not a command", unknown.front()),
                 did_you_mean(unknown.front(), names) + "see bitbayes --help");
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

[[noreturn]] void fail(ErrorCode code, const std::string& text) {
    cli::fail_together(static_cast<int>(code), text);
}

/// Thrown on ranks that have nothing to do.
struct RankIdle {};

/// Commands that do not share their work run on rank 0.
void keep_to_first_rank(CLI::App& app) {
    for (auto* command : app.get_subcommands({})) {
        const std::string& name = command->get_name();
        if (name == "train" || name == "sweep" || name == "reproduce") continue;
        command->preparse_callback([](std::size_t) {
            if (!cli::ranks().first()) throw RankIdle();
        });
    }
}

}  // namespace

int main(int argc, char** argv) {
    cli::guard_standard_files();
    cli::exit_on_interrupt();
    try {
        cli::join_ranks();
        CLI::App app("Neural networks with weights +1 and -1, learned by Bayes updates",
                     "bitbayes");
        describe(app);
        keep_to_first_rank(app);
        parse_and_run(app, argc, argv);
        return 0;
    } catch (const RankIdle&) {
        return 0;
    } catch (const cli::OutputClosed&) {
        return 0;
    } catch (const Error& error) {
        fail(error.code(), cli::with_flags(error.what()));
    } catch (const std::bad_alloc&) {
        // Without a string, which would need memory.
        cli::write_talk(
            "bitbayes: error: out of memory; hint: use fewer rows (#A:B) or a smaller network\n");
        if (cli::ranks().several()) cli::ranks().abort(static_cast<int>(ErrorCode::kInternal));
        return static_cast<int>(ErrorCode::kInternal);
    } catch (const std::exception& error) {
        fail(ErrorCode::kInternal, fmt::format("internal: {}", error.what()));
    }
}
