#include <fmt/format.h>

#include <functional>
#include <memory>

#include "answer_text.hpp"
#include "base/atomic_file.hpp"
#include "bitbayes/read.hpp"
#include "bitbayes/types/error.hpp"
#include "commands.hpp"
#include "network_file.hpp"
#include "options.hpp"
#include "packed/packed_answers.hpp"
#include "packed_report.hpp"
#include "terminal/output.hpp"
#include "terminal/outputs.hpp"
#include "terminal/report.hpp"
#include "terminal/signals.hpp"

namespace bitbayes::cli {

namespace {

struct Arguments {
    Common common;
    ReadOptions reading;
    std::string model, data, output;
    std::string mode;  // default: mean; map for a packed network
    unsigned threads = 0;
    bool proba = false;

    bool jsonl() const {
        const std::string_view suffix = ".jsonl";
        return output.size() >= suffix.size() &&
               output.compare(output.size() - suffix.size(), suffix.size(), suffix) == 0;
    }
};

using Sink = std::function<void(std::string_view)>;
using RowVisitor = std::function<void(const AnswerRow&)>;

/// The network of the file, in the requested mode.
class Answerer {
  public:
    Answerer(NetworkFile file, const Arguments& arguments)
        : file_(std::move(file)), arguments_(arguments), mode_(arguments.mode) {
        if (mode_.empty()) mode_ = packed() ? "map" : "mean";
        if (packed() && mode_ == "mean") {
            throw Error(ErrorCode::kUsage,
                        fmt::format("{}: a packed network has no mean", arguments.model),
                        "--mode map, or the model that it was made from");
        }
        if (arguments.proba && mode_ == "map") {
            throw Error(ErrorCode::kUsage, "the clipped network has no probabilities",
                        "--proba needs a model and --mode mean");
        }
    }

    bool packed() const { return file_.packed.has_value(); }
    const std::string& mode() const { return mode_; }
    TableColumns known() const { return file_.known(); }

    AnswerText::Layout layout() const {
        const std::string& id = arguments_.reading.id;
        const bool named = !id.empty() && id.find_first_not_of("0123456789") != id.npos;
        return {file_.class_names(), named || id.empty() ? id : "id", mode_ == "map", packed(),
                arguments_.proba};
    }

    void answer(const Dataset& data, const RowVisitor& visit) const {
        const auto answers = packed() ? file_.packed->predict(data, arguments_.threads)
                                      : file_.model->predict(data, mode(mode_), arguments_.threads);
        const std::size_t classes = file_.class_names().size();
        std::vector<double> all;
        if (arguments_.proba) all = file_.model->probabilities(data, arguments_.threads);
        for (std::size_t r = 0; r < answers.size(); ++r) {
            visit({data.ids.empty() ? nullptr : &data.ids[r], answers[r],
                   all.empty() ? nullptr : &all[r * classes]});
        }
    }

    std::size_t rows_outside(const Dataset& data) const {
        return packed() ? packed::rows_outside(file_.packed->network(), data) : 0;
    }

  private:
    static Mode mode(const std::string& name) { return name == "map" ? Mode::kMap : Mode::kMean; }

    NetworkFile file_;
    const Arguments& arguments_;
    std::string mode_;
};

/// Answers a stream as its rows arrive, until it ends or a signal comes: the rows before are
/// answered.
std::size_t answer_stream(const Arguments& arguments, ReadOptions reading, const Answerer& network,
                          const RowVisitor& visit, const std::function<void()>& chunk_done) {
    const InterruptFlag interrupt(true);
    reading.cut_short = [&] { return interrupt.raised(); };
    RowStream stream("-", reading);
    std::size_t rows = 0;
    for (Dataset chunk; stream.next(chunk, kChunkRows); rows += chunk.rows) {
        network.answer(chunk, visit);
        chunk_done();
    }
    note_texts(arguments.common, stream.notes());
    return rows;
}

/// Calls `visit` with the answers to all rows, `chunk_done` whenever they may be written.
std::size_t answer_rows(const Arguments& arguments, const Answerer& network,
                        const RowVisitor& visit, const std::function<void()>& chunk_done) {
    ReadOptions reading = arguments.reading;
    reading.known = network.known();
    if (arguments.data == "-") {
        return answer_stream(arguments, reading, network, visit, chunk_done);
    }
    const Dataset data = load_dataset(arguments.data, reading);
    note_data(arguments.common, data);
    network.answer(data, visit);
    note_outside(arguments.common, network.rows_outside(data));
    chunk_done();
    return data.rows;
}

std::size_t write_rows(const Arguments& arguments, const Answerer& network, const Sink& sink) {
    const AnswerText format(network.layout());
    std::string text = arguments.jsonl() ? "" : format.csv_header();
    return answer_rows(
        arguments, network,
        [&](const AnswerRow& row) {
            text += arguments.jsonl() ? to_line(format.json(row)) : format.csv(row);
        },
        [&] {
            sink(text);
            text.clear();
        });
}

std::size_t write_file(const Arguments& arguments, const Answerer& network) {
    std::size_t rows = 0;
    const auto fill = [&](const FileSink& file) {
        rows = write_rows(arguments, network, [&](std::string_view text) {
            file({text.data(), text.size()});
        });
    };
    write_atomically(arguments.output, fill,
                     arguments.common.force ? Existing::kReplace : Existing::kKeep);
    return rows;
}

Json collect_rows(const Arguments& arguments, const Answerer& network) {
    const AnswerText format(network.layout());
    Json list = Json::array();
    answer_rows(
        arguments, network, [&](const AnswerRow& row) { list.push_back(format.json(row)); }, [] {});
    return list;
}

void run(const Arguments& arguments) {
    const bool to_file = !arguments.output.empty();
    if (to_file) {
        check_apart({arguments.output}, {arguments.model});
        check_apart({arguments.output}, data_files({arguments.data}));
        check_output(arguments.output, arguments.common.force);
    }
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
    note_threads(arguments.common, arguments.threads);
    if (InterruptFlag::was_raised()) throw Error(ErrorCode::kInterrupted, "interrupted");
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
    add_output(*command, "-o,--output", arguments->output,
               "Write CSV to FILE, or JSON lines if it ends in .jsonl",
               "leave it out: answers then go to standard output");
    command->add_flag("--proba", arguments->proba, "Also the probability of every class");
    add_threads(*command, arguments->threads);
    add_reading(*command, arguments->reading);
    add_id(*command, arguments->reading);
    add_common(*command, arguments->common);
    command->callback([arguments] { run(*arguments); });
}

}  // namespace bitbayes::cli
