#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <memory>

#include "base/atomic_file.hpp"
#include "bitbayes/model.hpp"
#include "commands.hpp"
#include "data/stream.hpp"
#include "options.hpp"
#include "output.hpp"

namespace bitbayes::cli {

namespace {

constexpr std::size_t kChunkRows = 4096;

struct Arguments {
    Common common;
    ReadOptions reading;
    std::string model, data, output;
    std::string mode = "mean";
    unsigned threads = 0;

    bool jsonl() const {
        const std::string_view suffix = ".jsonl";
        return output.size() >= suffix.size() &&
               output.compare(output.size() - suffix.size(), suffix.size(), suffix) == 0;
    }
};

using Sink = std::function<void(std::string_view)>;
using AnswerVisitor = std::function<void(const std::vector<Answer>&)>;

std::string csv_cell(const std::string& text) {
    if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
    std::string quoted = "\"";
    for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + "\"";
}

std::string csv_row(const Answer& answer, const std::string& label) {
    const auto probability =
        std::isnan(answer.probability) ? std::string() : fmt::format("{:.6g}", answer.probability);
    return fmt::format("{},{},{:.6g},{:.6g}\n", csv_cell(label), probability, answer.validity,
                       answer.margin);
}

Json json_row(const Answer& answer, const std::string& label) {
    return {{"label", label},
            {"probability", answer.probability},
            {"validity", answer.validity},
            {"margin", answer.margin}};
}

/// Calls `visit` with the answers to all rows; those of a stream as the rows arrive.
std::size_t answer_rows(const Arguments& arguments, const Model& model,
                        const AnswerVisitor& visit) {
    const Mode mode = arguments.mode == "map" ? Mode::kMap : Mode::kMean;
    ReadOptions reading = arguments.reading;
    reading.expected_features = model.features();
    if (arguments.data != "-") {
        const Dataset data = load_dataset(arguments.data, reading);
        note_data(arguments.common, data);
        visit(model.predict(data, mode, arguments.threads));
        return data.rows;
    }
    data::RowStream stream("-", reading);
    Dataset chunk;
    std::size_t rows = 0;
    for (; stream.next(chunk, kChunkRows); rows += chunk.rows) {
        visit(model.predict(chunk, mode, arguments.threads));
    }
    for (const auto& text : stream.notes()) note(arguments.common, text);
    return rows;
}

std::size_t write_rows(const Arguments& arguments, const Model& model, const Sink& sink) {
    std::string text = arguments.jsonl() ? "" : "label,probability,validity,margin\n";
    return answer_rows(arguments, model, [&](const std::vector<Answer>& answers) {
        for (const auto& answer : answers) {
            const auto& label = model.class_names()[answer.class_index];
            text += arguments.jsonl() ? to_line(json_row(answer, label)) : csv_row(answer, label);
        }
        sink(text);
        text.clear();
    });
}

std::size_t write_file(const Arguments& arguments, const Model& model) {
    std::size_t rows = 0;
    write_atomically(arguments.output, [&](const FileSink& file) {
        rows = write_rows(arguments, model, [&](std::string_view text) {
            file({text.data(), text.size()});
        });
    });
    return rows;
}

Json collect_rows(const Arguments& arguments, const Model& model) {
    Json list = Json::array();
    answer_rows(arguments, model, [&](const std::vector<Answer>& answers) {
        for (const auto& answer : answers) {
            list.push_back(json_row(answer, model.class_names()[answer.class_index]));
        }
    });
    return list;
}

void run(const Arguments& arguments) {
    const bool to_file = !arguments.output.empty();
    if (to_file) check_output(arguments.output, arguments.common.force);
    const Model model = Model::load(arguments.model);
    if (to_file) {
        const std::size_t rows = write_file(arguments, model);
        const Json object{{"n", rows}, {"mode", arguments.mode}, {"output", arguments.output}};
        note(arguments.common, fmt::format("{} answers written to {}", rows, arguments.output));
        write_result(arguments.common, object, "");
    } else if (arguments.common.json) {
        const Json list = collect_rows(arguments, model);
        write_result(
            to_line({{"n", list.size()}, {"mode", arguments.mode}, {"predictions", list}}));
    } else {
        write_rows(arguments, model, [](std::string_view text) { write_result(text); });
    }
}

}  // namespace

void add_predict(CLI::App& app) {
    auto arguments = std::make_shared<Arguments>();
    auto* command = app.add_subcommand(
        "predict", "Label, probability, validity and margin of each row of DATA");
    command->add_option("MODEL", arguments->model, "A model or checkpoint file")
        ->required()
        ->type_name("");
    command
        ->add_option("DATA", arguments->data,
                     "Rows, labelled or not (its test split, if it has two)")
        ->required()
        ->type_name("");
    add_choice(*command, "--mode", arguments->mode, {"mean", "map"},
               "Bayes average over all networks, or the one clipped network");
    command
        ->add_option("-o,--output", arguments->output,
                     "Write CSV to FILE, or JSON lines if it ends in .jsonl")
        ->type_name("FILE");
    add_threads(*command, arguments->threads);
    add_reading(*command, arguments->reading);
    add_common(*command, arguments->common);
    command->callback([arguments] { run(*arguments); });
}

}  // namespace bitbayes::cli
