#include "emit/verilog_stream.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bitbayes/types/error.hpp"

namespace bitbayes::emit {
namespace {

using packed::Network;

constexpr std::size_t kLabelWidth = 16, kScoreWidth = 32;

constexpr const char* kHead = R"(// {0}: {1} weights, {2}.
module {0} #(
    parameter ROM_PATH = "./"       // where the .hex files of the folded form are
) (
    input  wire clk,
    input  wire rst,
    input  wire s_tvalid,
    output wire s_tready,
    input  wire [15:0] s_tdata,     // a column
    input  wire s_tlast,            // the last of a row
    output wire m_tvalid,
    input  wire m_tready,
    output wire [63:0] m_tdata,     // 15:0 class, 16 known, 17 legal, 18 wrong length, 63:32 margin
    output wire m_tlast,
    output wire score_valid,
    output wire signed [31:0] score // {3} per row, before its answer
);
)";

/// "label" and the like of an answer.
struct AnswerNames {
    std::string valid, label, margin, legal;
};

std::string argmax(const Network& network, const std::string& name, const Form& form,
                   const std::string& scores, const AnswerNames& names) {
    return wire(1, names.valid) + wire(form.label_width, names.label) +
           wire(form.score_width, names.margin) + wire(1, names.legal) +
           instance(name + "_argmax_stream", scores + "_argmax",
                    {{"COUNT", std::to_string(network.outputs())},
                     {"WIDTH", std::to_string(form.score_width)},
                     {"LABEL_WIDTH", std::to_string(form.label_width)}},
                    {{"clk", "clk"},
                     {"rst", "rst"},
                     {"valid", scores + "_valid"},
                     {"score", scores},
                     {"out_valid", names.valid},
                     {"label", names.label},
                     {"margin", names.margin},
                     {"legal", names.legal}});
}

}  // namespace

void check_ports(const Network& network, const Form& form) {
    if (form.label_width > kLabelWidth || form.score_width > kScoreWidth) {
        throw Error(ErrorCode::kUsage,
                    fmt::format("{} classes and scores of {} bits do not fit the ports",
                                network.class_names.size(), form.score_width),
                    "Verilog is written for 65,536 classes and scores of 32 bits at most");
    }
}

std::string stream_head(const Network& network, const std::string& name, const std::string& form) {
    return fmt::format(fmt::runtime(kHead), name, network.weights(), form, network.outputs());
}

std::string stream_input(const Network& network, const std::string& name) {
    const std::size_t columns = network.quantiser.columns();
    const auto type = network.quantiser.type;
    const std::size_t width = column_format(type).width;
    return wire(1, "valid") + wire(1, "ready") + wire(width, "column") + wire(1, "last") +
           wire(1, "wrong") + wire(1, "loaded") + wire(1, "loaded_wrong") + wire(1, "start") +
           instance(name + "_columns", "columns",
                    {{"COLUMNS", std::to_string(columns)},
                     {"INDEX_WIDTH", std::to_string(unsigned_width(columns - 1))},
                     {"WIDTH", std::to_string(width)},
                     {"SIGNS", type == packed::ColumnType::kSign ? "1" : "0"}},
                    {{"clk", "clk"},
                     {"rst", "rst"},
                     {"s_tvalid", "s_tvalid"},
                     {"s_tready", "s_tready"},
                     {"s_tdata", "s_tdata"},
                     {"s_tlast", "s_tlast"},
                     {"valid", "valid"},
                     {"ready", "ready"},
                     {"column", "column"},
                     {"last", "last"},
                     {"wrong", "wrong"}});
}

std::size_t committee_width(const Network& network, std::size_t member_width) {
    return std::max(signed_width(network.largest_score()), member_width + 1);
}

std::string label_of(const Network& network, const std::string& name, const Form& form,
                     const MemberSignals& member) {
    const std::string& scores = member.scores;
    return argmax(network, name, form, scores,
                  {member.labels_valid, scores + "_label", "unused_" + scores + "_margin",
                   "unused_" + scores + "_legal"});
}

std::string stream_output(const Network& network, const std::string& name, const Form& form,
                          const std::string& scores, AnswerPlaces places) {
    return argmax(network, name, form, scores,
                  {"answer_valid", "answer_label", "answer_margin", "answer_legal"}) +
           instance(name + "_answers", "answers",
                    {{"PLACES", std::to_string(places.places)},
                     {"SPACING", std::to_string(places.spacing)},
                     {"SPACING_WIDTH", std::to_string(unsigned_width(places.spacing))},
                     {"LABEL_WIDTH", std::to_string(form.label_width)},
                     {"MARGIN_WIDTH", std::to_string(form.score_width)}},
                    {{"clk", "clk"},
                     {"rst", "rst"},
                     {"loaded", "loaded"},
                     {"loaded_wrong", "loaded_wrong"},
                     {"start", "start"},
                     {"valid", "answer_valid"},
                     {"label", "answer_label"},
                     {"margin", "answer_margin"},
                     {"legal", "answer_legal"},
                     {"known", known(network, "answer_margin", form.score_width)},
                     {"m_tvalid", "m_tvalid"},
                     {"m_tready", "m_tready"},
                     {"m_tdata", "m_tdata"},
                     {"m_tlast", "m_tlast"}}) +
           fmt::format(
               "    assign score_valid = {0}_valid;\n    assign score = {{{{{1}{{{0}[{2}]}}}}, "
               "{0}}};\n",
               scores, kScoreWidth - form.score_width, form.score_width - 1);
}

}  // namespace bitbayes::emit
