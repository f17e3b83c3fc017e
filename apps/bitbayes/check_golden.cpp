#include <fmt/format.h>

#include <memory>

#include "bitbayes/types/error.hpp"
#include "commands.hpp"
#include "data/input.hpp"
#include "golden/golden.hpp"
#include "options.hpp"
#include "terminal/output.hpp"

namespace bitbayes::cli {

namespace {

struct Arguments {
    Common common;
    std::vector<std::string> files;
};

std::string read_text(const std::string& path) {
    data::Input input(path);
    return data::read_all(input);
}

Json to_json(const std::string& file, const golden::GoldenReport& report) {
    Json object{{"file", file}, {"kind", report.kind}, {"pass", report.pass}};
    if (report.kind == "exact") {
        object["distance"] = report.distance;
    } else {
        object["max_abs_error"] = report.max_abs_error;
    }
    return object;
}

std::string to_row(const std::string& file, const golden::GoldenReport& report) {
    std::string row = fmt::format("{}  {}:", report.pass ? "pass" : "FAIL", file);
    if (report.kind == "exact") return row + fmt::format(" distance {:.3g}\n", report.distance);
    for (const auto& [name, error] : report.max_abs_error)
        row += fmt::format(" {} {:.1e}", name, error);
    return row + "\n";
}

void run(const Arguments& arguments) {
    Json list = Json::array();
    std::string table;
    std::size_t failed = 0;
    for (const auto& file : arguments.files) {
        const auto report = golden::check_golden(read_text(file), file);
        failed += report.pass ? 0 : 1;
        list.push_back(to_json(file, report));
        table += to_row(file, report);
    }
    write_result(arguments.common, {{"pass", failed == 0}, {"files", list}}, table);
    if (failed > 0) {
        throw Error(ErrorCode::kInternal,
                    fmt::format("{} of {} files do not pass", failed, arguments.files.size()));
    }
}

}  // namespace

void add_check_golden(CLI::App& app) {
    auto arguments = std::make_shared<Arguments>();
    auto* command =
        app.add_subcommand("check-golden", "Replay golden vectors, print the largest errors");
    command->add_option("FILE", arguments->files, "Golden vectors, JSON")
        ->required()
        ->type_name("");
    add_common(*command, arguments->common);
    command->footer("Example, in the source folder:\n  bitbayes check-golden tests/golden/*.json");
    command->callback([arguments] { run(*arguments); });
}

}  // namespace bitbayes::cli
