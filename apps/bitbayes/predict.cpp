#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <memory>

#include "base/atomic_file.hpp"
#include "bitbayes/read.hpp"
#include "bitbayes/types/error.hpp"
#include "commands.hpp"
#include "network_file.hpp"
#include "options.hpp"
#include "terminal/output.hpp"

namespace bitbayes::cli {

namespace {

struct Arguments {
    Common common;
    ReadOptions reading;
    std::string model, data, output;
    std::string mode;  // default: mean; map for a packed network
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

/// The network of the file, in the requested mode.
class Answerer {
  public:
    Answerer(NetworkFile file, const Arguments& arguments)
        : file_(std::move(file)), mode_(arguments.mode), threads_(arguments.threads) {
        if (mode_.empty()) mode_ = packed() ? "map" : "mean";
        if (packed() && mode_ == "mean") {
            throw Error(ErrorCode::kUsage,
                        fmt::format("{}: a packed network has no mean", arguments.model),
                        "--mode map, or the model that it was made from");
        }
    }

    bool packed() const { return file_.packed.has_value(); }
    const std::string& mode() const { return mode_; }
    TableColumns known() const { return file_.known(); }
    const std::string& label(const Answer& answer) const {
        return file_.class_names()[answer.class_index];
    }
    std::vector<Answer> answers(const Dataset& data) const {
        if (packed()) return file_.packed->predict(data, threads_);
        return file_.model->predict(data, mode_ == "map" ? Mode::kMap : Mode::kMean, threads_);
    }

  private:
    NetworkFile file_;
    std::string mode_;
    unsigned threads_;
};

/// In map mode validity and margin are whole numbers; a packed network adds the column `known`.
std::string csv_row(const Answer& answer, const Answerer& network) {
    const auto probability =
        std::isnan(answer.probability) ? std::string() : fmt::format("{:.6g}", answer.probability);
    const auto margin =
        fmt::format(fmt::runtime(network.mode() == "map" ? "{:.0f}" : "{:.6g}"), answer.margin);
    const char* known = !network.packed() ? "" : answer.known ? ",1" : ",0";
    return fmt::format("{},{},{:.6g},{}{}\n", csv_cell(network.label(answer)), probability,
                       answer.validity, margin, known);
}

Json json_row(const Answer& answer, const Answerer& network) {
    const auto number = [&](double value) {
        return network.mode() == "map" ? Json(static_cast<std::int64_t>(value)) : Json(value);
    };
    Json row{{"label", network.label(answer)},
             {"probability", answer.probability},
             {"validity", number(answer.validity)},
             {"margin", number(answer.margin)}};
    if (network.packed()) row["known"] = answer.known;
    return row;
}

/// Calls `visit` with the answers to all rows; those of a stream as the rows arrive.
std::size_t answer_rows(const Arguments& arguments, const Answerer& network,
                        const AnswerVisitor& visit) {
    ReadOptions reading = arguments.reading;
    reading.known = network.known();
    if (arguments.data != "-") {
        const Dataset data = load_dataset(arguments.data, reading);
        note_data(arguments.common, data);
        visit(network.answers(data));
        return data.rows;
    }
    RowStream stream("-", reading);
    Dataset chunk;
    std::size_t rows = 0;
    for (; stream.next(chunk, kChunkRows); rows += chunk.rows) {
        visit(network.answers(chunk));
    }
    for (const auto& text : stream.notes()) note(arguments.common, text);
    return rows;
}

std::size_t write_rows(const Arguments& arguments, const Answerer& network, const Sink& sink) {
    std::string text;
    if (!arguments.jsonl()) {
        text = network.packed() ? "label,probability,validity,margin,known\n"
                                : "label,probability,validity,margin\n";
    }
    return answer_rows(arguments, network, [&](const std::vector<Answer>& answers) {
        for (const auto& answer : answers) {
            text +=
                arguments.jsonl() ? to_line(json_row(answer, network)) : csv_row(answer, network);
        }
        sink(text);
        text.clear();
    });
}

std::size_t write_file(const Arguments& arguments, const Answerer& network) {
    std::size_t rows = 0;
    write_atomically(arguments.output, [&](const FileSink& file) {
        rows = write_rows(arguments, network, [&](std::string_view text) {
            file({text.data(), text.size()});
        });
    });
    return rows;
}

Json collect_rows(const Arguments& arguments, const Answerer& network) {
    Json list = Json::array();
    answer_rows(arguments, network, [&](const std::vector<Answer>& answers) {
        for (const auto& answer : answers) {
            list.push_back(json_row(answer, network));
        }
    });
    return list;
}

void run(const Arguments& arguments) {
    const bool to_file = !arguments.output.empty();
    if (to_file) check_output(arguments.output, arguments.common.force);
    const Answerer network(load_network(arguments.model), arguments);
    if (to_file) {
        const std::size_t rows = write_file(arguments, network);
        const Json object{{"n", rows}, {"mode", network.mode()}, {"output", arguments.output}};
        note(arguments.common, fmt::format("{} answers written to {}", rows, arguments.output));
        write_result(arguments.common, object, "");
    } else if (arguments.common.json) {
        const Json list = collect_rows(arguments, network);
        write_result(
            to_line({{"n", list.size()}, {"mode", network.mode()}, {"predictions", list}}));
    } else {
        write_rows(arguments, network, stream_result);
    }
}

}  // namespace

void add_predict(CLI::App& app) {
    auto arguments = std::make_shared<Arguments>();
    auto* command = app.add_subcommand(
        "predict", "Label, probability, validity and margin of each row of DATA");
    command->add_option("MODEL", arguments->model, "A model, checkpoint or packed network")
        ->required()
        ->type_name("");
    command
        ->add_option("DATA", arguments->data,
                     "Rows, labelled or not (its test split, if it has two)")
        ->required()
        ->type_name("");
    add_choice(
        *command, "--mode", arguments->mode, {"mean", "map"},
        "Bayes average over all networks, or the one clipped network (default: mean; packed: map)");
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
