#include "export.hpp"
#include "bitbayes/read.hpp"

#include <fmt/format.h>

#include <memory>

#include "base/folder.hpp"
#include "bitbayes/types/error.hpp"
#include "commands.hpp"
#include "emit/names.hpp"
#include "network_file.hpp"
#include "options.hpp"
#include "packed/packed_answers.hpp"
#include "terminal/outputs.hpp"
#include "terminal/report.hpp"

namespace bitbayes::cli {

namespace {

struct Arguments {
    Common common;
    ReadOptions reading;
    std::string language, network, folder, verify;
    std::string name = "bitbayes_net";
    bool single_header = false, arduino = false, learn = false;
    std::uint64_t parallel = 0;
};

void check_options(const Arguments& arguments) {
    const bool c = arguments.language == "c";
    const auto refuse = [&](bool given, const char* option, const char* language) {
        if (!given) return;
        throw Error(ErrorCode::kUsage, fmt::format("{} is for export {}", option, language));
    };
    refuse(!c && arguments.single_header, "--single-header", "c");
    refuse(!c && arguments.arduino, "--arduino", "c");
    refuse(c && arguments.parallel != 0, "--parallel", "verilog");
    refuse(!c && arguments.learn, "--learn", "c");
    if (arguments.learn && (arguments.single_header || arguments.arduino)) {
        throw Error(ErrorCode::kUsage, "--learn goes with neither --single-header nor --arduino");
    }
    emit::check_name(arguments.name);
}

PackedNetwork load_packed(const std::string& path) {
    NetworkFile file = load_network(path);
    if (file.packed) return std::move(*file.packed);
    throw Error(ErrorCode::kUsage, fmt::format("{}: a model, not a packed network", path),
                fmt::format("bitbayes pack {} -o NET.bbn, then export that", path));
}

VerifyRows rows_of(const PackedNetwork& packed, const Rows& data) {
    VerifyRows rows;
    rows.columns = packed.network().quantiser.columns();
    rows.outputs = packed.network().outputs();
    rows.scores = packed.scores(data);
    rows.values.resize(data.size() * rows.columns);
    packed::quantise_rows(packed.network(), data, 0, rows.values);
    rows.raw = packed::raw_rows(packed.network(), data);
    for (std::size_t r = 0; r < data.size(); ++r) {
        rows.answers.push_back(packed::Network::answer(
            std::span(rows.scores).subspan(r * rows.outputs, rows.outputs)));
        for (std::size_t j = 0; j < rows.columns && !rows.raw.empty(); ++j) {
            const bool outside =
                packed.network().quantiser.outside_raw(j, rows.raw[r * rows.columns + j]);
            rows.answers.back().outside = rows.answers.back().outside || outside;
        }
    }
    return rows;
}

/// The difference in row `r`, in words; empty if there is none.
std::string difference(const ExportJob& job, std::size_t r, const ExportedAnswer& its) {
    const VerifyRows& want = *job.verify;
    const packed::Answer& mine = want.answers[r];
    if (its.answer.class_index != mine.class_index) {
        return fmt::format("class {} instead of {}", its.answer.class_index, mine.class_index);
    }
    if (its.answer.margin != mine.margin) {
        return fmt::format("margin {} instead of {}", its.answer.margin, mine.margin);
    }
    if (its.answer.legal != mine.legal) return "legal or not";
    const bool known = mine.margin >= job.network.abstain_below;
    if (its.predicted != (known ? std::int64_t{mine.class_index} : -1)) return "known or not";
    const std::int64_t raw = known && !mine.outside ? std::int64_t{mine.class_index} : -1;
    if (its.raw_predicted.value_or(raw) != raw) return "the answer to raw values";
    for (std::size_t k = 0; k < want.outputs; ++k) {
        const auto score = want.scores[r * want.outputs + k];
        if (its.scores[k] != score) {
            return fmt::format("score {}: {} instead of {}", k, its.scores[k], score);
        }
    }
    return "";
}

Json verification_json(const Verification& verification) {
    return {{"tool", verification.tool},
            {"rows", verification.rows},
            {"differences", verification.differences}};
}

std::string verification_row(const Verification& verification) {
    return table_row(verification.tool, fmt::format("{} rows compared, {} differences",
                                                    verification.rows, verification.differences));
}

void write_report(const Arguments& arguments, const Exported& exported) {
    Json object{{"language", arguments.language},
                {"name", arguments.name},
                {"output", arguments.folder},
                {"differences", Json()},
                {"verified", Json::array()}};
    object.update(exported.report);
    std::string text = exported.text;
    std::size_t differences = 0;
    for (const Verification& verification : exported.verifications) {
        differences += verification.differences;
        object["differences"] = differences;
        object["verified"].push_back(verification_json(verification));
        text += verification_row(verification);
    }
    write_result(arguments.common, object, text);
    for (const Verification& verification : exported.verifications) {
        if (verification.differences == 0) continue;
        throw Error(ErrorCode::kInternal, fmt::format("{} of {} rows differ under {}; first: {}",
                                                      verification.differences, verification.rows,
                                                      verification.tool, verification.first));
    }
}

void run_learn(Arguments& arguments) {
    const NetworkFile file = load_network(arguments.network);
    if (!file.model) {
        throw Error(ErrorCode::kUsage,
                    fmt::format("{}: a packed network cannot learn", arguments.network),
                    "export the model that it was packed from");
    }
    LearnJob job{.model = *file.model,
                 .path = arguments.network,
                 .folder = arguments.folder,
                 .name = arguments.name,
                 .inputs = data_files({arguments.verify}),
                 .verify = std::nullopt};
    job.inputs.push_back(arguments.network);
    if (!arguments.verify.empty()) {
        arguments.reading.known = file.known();
        job.verify = load_dataset(arguments.verify, arguments.reading);
        note_data(arguments.common, *job.verify);
    }
    write_report(arguments, export_learn(job));
}

void run(Arguments& arguments) {
    check_options(arguments);
    check_folder(arguments.folder, arguments.common.force);
    if (arguments.learn) return run_learn(arguments);
    const PackedNetwork packed = load_packed(arguments.network);
    ExportJob job{.common = arguments.common,
                  .network = packed.network(),
                  .folder = arguments.folder,
                  .name = arguments.name,
                  .inputs = data_files({arguments.verify}),
                  .single_header = arguments.single_header,
                  .arduino = arguments.arduino,
                  .parallel = std::nullopt,
                  .verify = std::nullopt};
    job.inputs.push_back(arguments.network);
    if (arguments.parallel != 0) job.parallel = arguments.parallel;
    if (!arguments.verify.empty()) {
        arguments.reading.known = packed.reading().known;
        const Dataset data = load_dataset(arguments.verify, arguments.reading);
        note_data(arguments.common, data);
        job.verify = rows_of(packed, data);
    }
    write_report(arguments, arguments.language == "c" ? export_c(job) : export_verilog(job));
}

}  // namespace

Verification compare_rows(const ExportJob& job, const std::string& tool, std::size_t rows,
                          const std::function<ExportedAnswer(std::size_t row)>& answer_to) {
    Verification result{tool, rows, 0, ""};
    for (std::size_t r = 0; r < rows; ++r) {
        const std::string what = difference(job, r, answer_to(r));
        if (what.empty()) continue;
        if (result.differences == 0) result.first = fmt::format("row {}: {}", r, what);
        ++result.differences;
    }
    return result;
}

std::string result_text(const Verification& verification) {
    return fmt::format("\nIts result: {} rows, {} differences.\n", verification.rows,
                       verification.differences);
}

StagedExport::StagedExport(const std::string& folder, const std::vector<std::string>& inputs,
                           emit::Files& files)
    : folder_(folder), files_(files) {
    std::vector<std::string> outputs;
    for (const auto& [name, text] : files) outputs.push_back(folder + "/" + name);
    check_apart(outputs, inputs);
    write_files(work_.path(), files);
}

void StagedExport::publish() const { write_together(folder_, files_); }

void add_export(CLI::App& app) {
    auto arguments = std::make_shared<Arguments>();
    auto* command = app.add_subcommand(
        "export",
        "Write a packed network as integer-only C or Verilog; --verify checks that it gives the "
        "same answers");
    add_choice(*command, "LANGUAGE", arguments->language, {"c", "verilog"}, "What to write")
        ->required();
    command
        ->add_option("NET", arguments->network,
                     "A packed network, made by bitbayes pack; a model with --learn")
        ->required()
        ->type_name("");
    add_output(*command, "-o,--output", arguments->folder, "A new or empty folder")
        ->required()
        ->type_name("DIR");
    command->add_option("--name", arguments->name, "Prefix of every name in the code")
        ->type_name("NAME")
        ->capture_default_str();
    command
        ->add_option("--verify", arguments->verify,
                     "Compile or simulate what was written and compare every answer on DATA (its "
                     "test split, if it has two)")
        ->type_name("DATA");
    command->add_flag("--single-header", arguments->single_header, "C: everything in NAME.h");
    command->add_flag("--arduino", arguments->arduino, "C: laid out as an Arduino library");
    command->add_flag(
        "--learn", arguments->learn,
        "C that goes on learning on the device, one byte per weight; NET is a model, a "
        "tree of at most one hidden layer");
    add_whole(*command, "--parallel", arguments->parallel,
              "Verilog: the folded form, N neurons per clock (default: fully parallel up to 4,096 "
              "weights, else 64)",
              1, 65536);
    add_reading(*command, arguments->reading);
    add_common(*command, arguments->common);
    command->callback([arguments] { run(*arguments); });
}

}  // namespace bitbayes::cli
