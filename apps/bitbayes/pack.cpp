#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>

#include "base/atomic_file.hpp"
#include "base/thread_team.hpp"
#include "bitbayes/read.hpp"
#include "bitbayes/types/error.hpp"
#include "bitbayes/types/options.hpp"
#include "clip/real_clip.hpp"
#include "commands.hpp"
#include "learn/live_model.hpp"
#include "network_file.hpp"
#include "options.hpp"
#include "packed_report.hpp"
#include "terminal/outputs.hpp"
#include "terminal/report.hpp"

namespace bitbayes::cli {

namespace {

constexpr std::uint64_t kMaxDraws = 1000;

struct Arguments {
    Common common;
    ReadOptions reading;
    std::string model, output, data, abstain, polish;
    std::uint64_t draws = 0;
    std::optional<std::uint64_t> seed;
    unsigned threads = 0;
};

/// Error rates on the data.
struct Errors {
    std::optional<double> unquantised;  // of the clipped network before its columns were quantised
    std::optional<double> map;          // of the clipped network (of the first member) alone
    PackedEvaluation packed;            // of the network in the file
};

Errors errors_on(const Arguments& arguments, const Model& model, const PackedNetwork& network,
                 const Dataset& data) {
    Errors errors;
    if (!network.network().quantiser.step.empty()) {
        ThreadTeam team(arguments.threads);
        errors.unquantised = clip::real_clip_error(model.live().snapshot(), data, team);
    }
    errors.packed = network.evaluate(data, arguments.threads);
    errors.map = errors.packed.error_map;
    if (network.network().members.size() > 1) {
        errors.map = PackedNetwork(model.member(0)).evaluate(data, arguments.threads).error_map;
    }
    return errors;
}

std::string errors_table(const Errors& errors, const packed::Network& network) {
    std::string table;
    if (errors.unquantised) {
        table += table_row("error, real columns", percent(*errors.unquantised)) +
                 table_row("error, quantised", percent(*errors.map));
    }
    if (network.members.size() > 1) {
        table += table_row("error, one network", percent(*errors.map));
    }
    return table + evaluation_table(errors.packed, network);
}

Model load_model(const std::string& path) {
    NetworkFile file = load_network(path);
    if (file.model) return std::move(*file.model);
    throw Error(ErrorCode::kUsage, fmt::format("{}: packed already", path),
                "pack the model that it was made from");
}

std::optional<double> abstain_rate(const Arguments& arguments) {
    if (arguments.abstain.empty()) return std::nullopt;
    if (arguments.data.empty()) {
        throw Error(ErrorCode::kUsage, "--abstain needs labelled rows", "add --data DATA");
    }
    return parse_fraction("--abstain", arguments.abstain);
}

void polish(Arguments& arguments, Model& model) {
    arguments.reading.known = model.reading().known;
    const Dataset rows = load_dataset(arguments.polish, arguments.reading, Split::kTrain);
    note_data(arguments.common, rows);
    model.polish(rows, TrainOptions{}.polish, arguments.threads);
}

/// Chooses the margin first, if there is a rate.
Errors look_at_data(Arguments& arguments, const Model& model, PackedNetwork& network,
                    std::optional<double> rate) {
    arguments.reading.known = model.reading().known;
    const Dataset data = load_dataset(arguments.data, arguments.reading);
    note_data(arguments.common, data);
    if (rate) network.abstain(data, *rate, arguments.threads);
    Errors errors = errors_on(arguments, model, network, data);
    if (model.algorithm() == Algorithm::kMfb) {
        const Evaluation mean = model.evaluate(data, arguments.threads);
        note_clipping(arguments.common, errors.packed.error_map, mean.error_mean);
    }
    return errors;
}

Json to_json(const Arguments& arguments, const packed::Network& network,
             const std::optional<Errors>& errors) {
    const auto or_null = [](const std::optional<double>& x) { return x ? Json(*x) : Json(); };
    Json object = packed_json(network);
    object["output"] = arguments.output;
    object["bytes"] = std::filesystem::file_size(arguments.output);
    object["n"] = errors ? Json(errors->packed.rows) : Json();
    object["error_unquantised"] = errors ? or_null(errors->unquantised) : Json();
    object["error_one_network"] = errors ? or_null(errors->map) : Json();
    const Json figures = evaluation_json(errors ? errors->packed : PackedEvaluation{});
    for (const auto& [key, value] : figures.items()) object[key] = errors ? value : Json();
    return object;
}

void run(Arguments& arguments) {
    check_apart({arguments.output}, {arguments.model});
    check_apart({arguments.output}, data_files({arguments.data, arguments.polish}));
    check_output(arguments.output, arguments.common.force);
    if (arguments.seed && arguments.draws == 0) {
        throw Error(ErrorCode::kUsage, "--seed is for --ensemble", "add --ensemble N");
    }
    const auto rate = abstain_rate(arguments);
    Model model = load_model(arguments.model);
    if (!arguments.polish.empty()) polish(arguments, model);
    const std::uint64_t seed = arguments.seed.value_or(model.live().description().seed);
    PackedNetwork network(model, {.draws = arguments.draws, .seed = seed});
    std::optional<Errors> errors;
    if (!arguments.data.empty()) {
        errors = look_at_data(arguments, model, network, rate);
    } else if (!network.network().quantiser.step.empty()) {
        note(arguments.common, "real columns are quantised; --data DATA shows what that costs");
    }
    network.save(arguments.output, arguments.common.force);
    const Json object = to_json(arguments, network.network(), errors);
    write_result(arguments.common, object,
                 packed_table(network.network()) +
                     table_row("bytes of the file", object["bytes"].dump()) +
                     (errors ? "\n" + errors_table(*errors, network.network()) : ""));
}

}  // namespace

void add_pack(CLI::App& app) {
    auto arguments = std::make_shared<Arguments>();
    auto* command = app.add_subcommand(
        "pack",
        "Write the clipped network, or the committee of all members, to its own file: one bit per "
        "weight, integers only");
    command->add_option("MODEL", arguments->model, "A model or checkpoint file")
        ->required()
        ->type_name("");
    add_output(*command, "-o,--output", arguments->output, "The packed network, usually *.bbn")
        ->required()
        ->type_name("NET");
    command
        ->add_option("--data", arguments->data,
                     "Labelled rows to report errors on (its test split, if it has two)")
        ->type_name("DATA");
    command
        ->add_option("--polish", arguments->polish,
                     "Rows that the model has learned: look for a better clipped network on them; "
                     "`train` ends with that, `update` drops what it found")
        ->type_name("DATA");
    command
        ->add_option("--abstain", arguments->abstain,
                     "Answer \"don't know\" below the lowest margin that keeps the error of the "
                     "other rows of --data below RATE")
        ->type_name("RATE");
    add_whole(*command, "--ensemble", arguments->draws,
              "Also draw N networks from the posterior; all of them add their scores", 1,
              kMaxDraws);
    command
        ->add_option_function<std::string>(
            "--seed",
            [arguments](const std::string& text) {
                arguments->seed = parse_whole("--seed", text, 0, UINT64_MAX);
            },
            "Seed of the draws of --ensemble (default: the model's)")
        ->type_name("N");
    add_threads(*command, arguments->threads);
    add_reading(*command, arguments->reading);
    add_common(*command, arguments->common);
    command->callback([arguments] { run(*arguments); });
}

}  // namespace bitbayes::cli
