#include <memory>

#include "commands.hpp"
#include "options.hpp"
#include "terminal/output.hpp"
#include "tools/fetch.hpp"

namespace bitbayes::cli {

namespace {

struct Arguments {
    Common common;
    std::string name;
};

void run(const Arguments& arguments) {
    const std::string folder = tools::fetch(arguments.name, arguments.common.force);
    const Json object{{"name", arguments.name}, {"folder", folder}};
    write_result(arguments.common, object, folder + "\n");
}

}  // namespace

void add_fetch(CLI::App& app) {
    auto arguments = std::make_shared<Arguments>();
    auto* command =
        app.add_subcommand("fetch", "Get a named data set, check its SHA-256, print its folder");
    add_choice(*command, "NAME", arguments->name, {"mnist", "fashion-mnist"}, "The data set")
        ->required();
    add_common(*command, arguments->common);
    command->footer(
        "Example:\n"
        "  bitbayes fetch mnist     # from then on `mnist` is DATA: bitbayes train mnist");
    command->callback([arguments] { run(*arguments); });
}

}  // namespace bitbayes::cli
