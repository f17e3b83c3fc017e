// Completion scripts, generated from the command line itself so that they are never out of date.
#include <fmt/format.h>

#include <memory>

#include "commands.hpp"
#include "options.hpp"
#include "terminal/output.hpp"

namespace bitbayes::cli {

namespace {

using Words = std::vector<std::string>;

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
    return app.get_subcommands([](const CLI::App*) { return true; });
}

Words option_names(const CLI::Option& option) {
    Words names;
    for (const auto& name : option.get_snames()) names.push_back("-" + name);
    for (const auto& name : option.get_lnames()) names.push_back("--" + name);
    return names;
}

/// All options of a command, and the values of its positional arguments where they are words.
Words words_of(const CLI::App& command) {
    Words words;
    for (const auto* option : command.get_options()) {
        const Words more = option->get_positional() ? choices_of(*option) : option_names(*option);
        words.insert(words.end(), more.begin(), more.end());
    }
    return words;
}

Words top_words(const CLI::App& app) {
    Words words;
    for (const auto* command : commands_of(app)) words.push_back(command->get_name());
    for (const auto& word : words_of(app)) words.push_back(word);
    return words;
}

/// "case $previous in" branches for options with a choice of values; `line` has {} for the values.
std::string choice_branches(const CLI::App& app, const char* line) {
    std::string text;
    Words seen;
    for (const auto* command : commands_of(app)) {
        for (const auto* option : command->get_options()) {
            const Words values = choices_of(*option);
            const auto name = option->get_name();
            if (values.empty() || option->get_positional() ||
                std::find(seen.begin(), seen.end(), name) != seen.end()) {
                continue;
            }
            seen.push_back(name);
            text += fmt::format("        {}) {};;\n", name,
                                fmt::format(fmt::runtime(line), fmt::join(values, " ")));
        }
    }
    return text;
}

std::string command_branches(const CLI::App& app, const char* line) {
    std::string text;
    for (const auto* command : commands_of(app)) {
        text += fmt::format("        {}) {};;\n", command->get_name(),
                            fmt::format(fmt::runtime(line), fmt::join(words_of(*command), " ")));
    }
    return text;
}

std::string bash_script(const CLI::App& app) {
    constexpr const char* kAssign = "words=\"{}\"";
    std::string text = "_bitbayes() {\n";
    text +=
        "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} words=\n";
    text +=
        fmt::format("    case ${{COMP_WORDS[1]}} in\n{}    esac\n", command_branches(app, kAssign));
    text += fmt::format("    case $previous in\n{}    esac\n", choice_branches(app, kAssign));
    text += fmt::format("    [ \"$COMP_CWORD\" = 1 ] && words=\"{}\"\n",
                        fmt::join(top_words(app), " "));
    text += "    COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n}\n";
    return text + "complete -o default -F _bitbayes bitbayes\n";
}

std::string zsh_script(const CLI::App& app) {
    constexpr const char* kAdd = "compadd -- {}";
    std::string text = "#compdef bitbayes\n_bitbayes() {\n";
    text += fmt::format(
        "    if (( CURRENT == 2 )); then\n        compadd -- {}\n        return\n    fi\n",
        fmt::join(top_words(app), " "));
    text += fmt::format("    case ${{words[CURRENT-1]}} in\n{}    esac\n",
                        choice_branches(app, "compadd -- {}; return"));
    text += fmt::format("    case ${{words[2]}} in\n{}    esac\n    _files\n}}\n",
                        command_branches(app, kAdd));
    return text + "compdef _bitbayes bitbayes\n";
}

std::string in_quotes(const std::string& text) {
    std::string result = "'";
    for (const char c : text) result += c == '\'' ? std::string("\\'") : std::string(1, c);
    return result + "'";
}

std::string fish_option(const std::string& condition, const CLI::Option& option) {
    std::string line = "complete -c bitbayes -n " + in_quotes(condition);
    const Words values = choices_of(option);
    for (const auto& name : option.get_snames()) line += " -s " + name;
    for (const auto& name : option.get_lnames()) line += " -l " + name;
    if (!values.empty()) line += fmt::format(" -x -a '{}'", fmt::join(values, " "));
    if (values.empty() && option.get_items_expected_max() > 0) line += " -r";
    return line + " -d " + in_quotes(option.get_description()) + "\n";
}

std::string fish_script(const CLI::App& app) {
    std::string text;
    for (const auto* option : app.get_options())
        text += fish_option("__fish_use_subcommand", *option);
    for (const auto* command : commands_of(app)) {
        text += fmt::format("complete -c bitbayes -n __fish_use_subcommand -f -a {} -d {}\n",
                            command->get_name(), in_quotes(command->get_description()));
        const auto condition = "__fish_seen_subcommand_from " + command->get_name();
        for (const auto* option : command->get_options()) {
            const bool plain_argument = option->get_positional() && choices_of(*option).empty();
            if (!plain_argument) text += fish_option(condition, *option);
        }
    }
    return text;
}

struct Arguments {
    Common common;
    std::string shell;
};

void run(const CLI::App& app, const Arguments& arguments) {
    const auto script = arguments.shell == "bash"  ? bash_script(app)
                        : arguments.shell == "zsh" ? zsh_script(app)
                                                   : fish_script(app);
    write_result(arguments.common, {{"shell", arguments.shell}, {"script", script}}, script);
}

}  // namespace

void add_completion(CLI::App& app) {
    auto arguments = std::make_shared<Arguments>();
    auto* command = app.add_subcommand("completion", "Print a completion script for a shell");
    add_choice(*command, "SHELL", arguments->shell, {"bash", "zsh", "fish"}, "The shell")
        ->required();
    add_common(*command, arguments->common);
    command->footer(
        "bash: source <(bitbayes completion bash)\n"
        "zsh:  source <(bitbayes completion zsh)\n"
        "fish: bitbayes completion fish | source");
    command->callback([&app, arguments] { run(app, *arguments); });
}

}  // namespace bitbayes::cli
