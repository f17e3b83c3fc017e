// The folded form: weights in ROMs, the columns of an image one after another.
#include <fmt/format.h>

#include <algorithm>

#include "emit/verilog_dense.hpp"

namespace bitbayes::emit {
namespace {

using packed::Network;

class Writer {
  public:
    Writer(const Network& network, const std::string& name, std::size_t parallel)
        : network_(network), name_(name), sizes_(network, parallel) {
        form_.label_width = unsigned_width(std::max<std::size_t>(2, network.outputs()) - 1);
        form_.blocks = {"rom",           "ram",   "loader", dense() ? "dense_layers" : "neurons",
                        "argmax_stream", "answer"};
        if (trees()) form_.blocks.insert(form_.blocks.end(), {"adder_tree", "tree_layer"});
        if (committee()) form_.blocks.push_back("vote_stream");
    }

    Form write() {
        std::string body = loader() + neurons();
        std::string scores = "neurons";
        form_.score_width = sizes_.lane_width;
        for (std::size_t l = sizes_.dense; l < depth(); ++l) body += tree_layer(l, scores);
        if (committee()) body += votes(scores);
        body += answer(scores);
        form_.figures.folded = true;
        form_.figures.parallel = sizes_.lanes;
        form_.figures.latency = form_.figures.cycles_per_image =
            folded_clocks(network_, sizes_, steps_);
        form_.top = head() + body + "endmodule\n";
        return form_;
    }

  private:
    bool committee() const { return network_.members.size() > 1; }
    std::size_t depth() const { return network_.members[0].size(); }
    /// Whether dense layers share the accumulators.
    bool dense() const { return sizes_.dense > 1; }
    bool trees() const { return depth() > sizes_.dense; }

    std::string head() const {
        return fmt::format(
            R"(// {0}: {1} weights, folded: {2} neurons{7} per clock, at most {3} clocks per image.
module {0} #(
    parameter ROM_PATH = "./"  // where the .hex files are
) (
    input  wire clk,
    input  wire rst,
    input  wire s_valid,
    output wire s_ready,
    input  wire [{4}:0] s_data,
    output wire m_valid,
    input  wire m_ready,
    output wire [{5}:0] m_label,
    output wire [{6}:0] m_margin,
    output wire m_legal,
    output wire m_known,
    output wire score_valid,
    output wire signed [{6}:0] score
);
)",
            name_, network_.weights(), sizes_.lanes, form_.figures.latency,
            column_format(network_.quantiser.type).width - 1, form_.label_width - 1,
            form_.score_width - 1, dense() ? "" : " of layer 1");
    }

    /// Adds a ROM; returns the value of the parameter that names it.
    std::string rom(const std::string& part, const std::vector<Bits>& words) {
        std::string text;
        for (const Bits& word : words) text += word.hex() + "\n";
        form_.figures.rom_bits += words.size() * words.front().size();
        const std::string file = fmt::format("{}_{}.hex", name_, part);
        form_.roms[file] = text;
        return fmt::format("{{ROM_PATH, \"{}\"}}", file);
    }

    std::string loader() {
        const auto words = step_words(network_);
        steps_ = words.size();
        const auto format = column_format(network_.quantiser.type);
        const std::size_t index = unsigned_width(sizes_.inputs - 1);
        return wire(1, "loaded") + wire(1, "start") + wire(1, "free") +
               wire(sizes_.count_width, "count") + wire(sizes_.sum_width, "total") +
               wire(index, "entry") + wire(sizes_.word_width, "index") +
               wire(sizes_.value_width, "value") +
               instance(name_ + "_loader", "loader",
                        {{"COLUMN_WIDTH", std::to_string(format.width)},
                         {"COLUMN_SIGNED", std::to_string(int{format.is_signed})},
                         {"COMPARE", network_.comparator.empty() ? "0" : "1"},
                         {"WORDS", network_.table.categories.empty() ? "0" : "1"},
                         {"VALUE_WIDTH", std::to_string(sizes_.value_width)},
                         {"VALUE_SIGNED", has_signed_values(network_) ? "1" : "0"},
                         {"SUM_WIDTH", std::to_string(sizes_.sum_width)},
                         {"INPUTS", std::to_string(sizes_.inputs)},
                         {"INDEX_WIDTH", std::to_string(index)},
                         {"WORD_WIDTH", std::to_string(sizes_.word_width)},
                         {"COUNT_WIDTH", std::to_string(sizes_.count_width)},
                         {"STEPS", std::to_string(words.size())},
                         {"STEP_WIDTH", std::to_string(unsigned_width(words.size() - 1))},
                         {"STEPS_FILE", rom("steps", words)}},
                        {{"clk", "clk"},
                         {"rst", "rst"},
                         {"s_valid", "s_valid"},
                         {"s_ready", "s_ready"},
                         {"s_data", "s_data"},
                         {"loaded", "loaded"},
                         {"free", "free"},
                         {"count", "count"},
                         {"total", "total"},
                         {"entry", "entry"},
                         {"index", "index"},
                         {"value", "value"}});
    }

    std::string neurons() {
        const auto words = dense() ? dense_words(network_, sizes_) : weight_words(network_, sizes_);
        Pairs parameters = dense() ? dense_parameters(network_, sizes_, words.size())
                                   : neurons_parameters(words.size());
        parameters.emplace_back("WEIGHTS_FILE", rom("weights", words));
        return wire(1, "neurons_valid") +
               wire(sizes_.out_lanes * sizes_.lane_width, "neurons", dense()) +
               instance(name_ + (dense() ? "_dense_layers" : "_neurons"),
                        dense() ? "dense" : "layer1", parameters,
                        {{"clk", "clk"},
                         {"rst", "rst"},
                         {"start", "start"},
                         {"count", "count"},
                         {"total", "total"},
                         {"entry", "entry"},
                         {"index", "index"},
                         {"value", "value"},
                         {"done", "free"},
                         {"out_valid", "neurons_valid"},
                         {"out", "neurons"}});
    }

    Pairs neurons_parameters(std::size_t words) const {
        const std::size_t neurons = network_.members[0][0].neurons * network_.members.size();
        const auto [groups, last] = sizes_.groups(neurons);
        const std::size_t index = unsigned_width(sizes_.inputs - 1);
        const std::size_t batches = sizes_.lanes / sizes_.out_lanes;
        return {{"LANES", std::to_string(sizes_.lanes)},
                {"GROUPS", std::to_string(groups)},
                {"GROUP_WIDTH", std::to_string(unsigned_width(groups - 1))},
                {"INPUTS", std::to_string(sizes_.inputs)},
                {"INDEX_WIDTH", std::to_string(index)},
                {"COUNT_WIDTH", std::to_string(sizes_.count_width)},
                {"VALUE_WIDTH", std::to_string(sizes_.value_width)},
                {"VALUE_SIGNED", has_signed_values(network_) ? "1" : "0"},
                {"SHIFT", has_sign_inputs(network_) ? "1" : "0"},
                {"THRESHOLD_WIDTH", std::to_string(sizes_.threshold_width)},
                {"WORD_WIDTH", std::to_string(sizes_.word_width)},
                {"ADDRESS_WIDTH", std::to_string(unsigned_width(words - 1))},
                {"SUM_WIDTH", std::to_string(sizes_.sum_width)},
                {"LANE_WIDTH", std::to_string(sizes_.lane_width)},
                {"OUT_LANES", std::to_string(sizes_.out_lanes)},
                {"BATCHES", std::to_string(batches)},
                {"LAST_BATCHES", std::to_string(last / sizes_.out_lanes)},
                {"BATCH_WIDTH", std::to_string(unsigned_width(batches))}};
    }

    /// Reads the signal `scores` and replaces the name by that of its sums.
    std::string tree_layer(std::size_t l, std::string& scores) {
        const std::size_t lanes = l == sizes_.dense ? sizes_.out_lanes : 1;
        const std::size_t fan_in = network_.members[0][l].fan_in;
        const std::size_t levels = adder_levels(lanes);
        const std::string signs = l > sizes_.dense ? scores + " >= 0"
                                  : dense()        ? "~neurons"
                                                   : scores;
        const auto words = tree_words(network_, l, lanes);
        const std::string out = fmt::format("layer{}_sum", l + 1);
        form_.score_width = std::max(signed_width(static_cast<std::int64_t>(fan_in)), levels + 3);
        std::string text = wire(1, out + "_valid") + wire(form_.score_width, out, true);
        text += instance(name_ + "_tree_layer", fmt::format("layer{}", l + 1),
                         {{"LANES", std::to_string(lanes)},
                          {"BATCHES", std::to_string(fan_in / lanes)},
                          {"BATCH_WIDTH", std::to_string(unsigned_width(fan_in / lanes - 1))},
                          {"LEVELS", std::to_string(levels)},
                          {"SUM_WIDTH", std::to_string(form_.score_width)},
                          {"WORDS", std::to_string(words.size())},
                          {"ADDRESS_WIDTH", std::to_string(unsigned_width(words.size() - 1))},
                          {"WEIGHTS_FILE", rom(fmt::format("layer{}", l + 1), words)}},
                         {{"clk", "clk"},
                          {"rst", "rst"},
                          {"valid", scores + "_valid"},
                          {"signs", signs},
                          {"out_valid", out + "_valid"},
                          {"sum", out}});
        scores = out;
        return text;
    }

    std::string argmax(const std::string& scores, const std::string& prefix,
                       const std::string& unused) const {
        return wire(1, prefix + "_valid") + wire(form_.label_width, prefix + "_label") +
               wire(form_.score_width, unused + "_margin") + wire(1, unused + "_legal") +
               instance(name_ + "_argmax_stream", prefix + "_argmax",
                        {{"COUNT", std::to_string(network_.outputs())},
                         {"WIDTH", std::to_string(form_.score_width)},
                         {"LABEL_WIDTH", std::to_string(form_.label_width)}},
                        {{"clk", "clk"},
                         {"rst", "rst"},
                         {"valid", scores + "_valid"},
                         {"score", scores},
                         {"out_valid", prefix + "_valid"},
                         {"label", prefix + "_label"},
                         {"margin", unused + "_margin"},
                         {"legal", unused + "_legal"}});
    }

    /// Reads the members' signal `scores` and replaces the name by that of the votes.
    std::string votes(std::string& scores) {
        std::string text = argmax(scores, "member", "unused_member");
        const std::size_t members = network_.members.size();
        const std::size_t width = unsigned_width(members);
        form_.score_width = width + 1;
        text += wire(1, "votes_valid") + wire(form_.score_width, "votes", true);
        text += instance(name_ + "_vote_stream", "vote",
                         {{"MEMBERS", std::to_string(members)},
                          {"MEMBER_WIDTH", std::to_string(width)},
                          {"OUTPUTS", std::to_string(network_.outputs())},
                          {"LABEL_WIDTH", std::to_string(form_.label_width)},
                          {"WIDTH", std::to_string(form_.score_width)}},
                         {{"clk", "clk"},
                          {"rst", "rst"},
                          {"valid", "member_valid"},
                          {"label", "member_label"},
                          {"out_valid", "votes_valid"},
                          {"score", "votes"}});
        scores = "votes";
        return text;
    }

    std::string answer(const std::string& scores) const {
        return argmax(scores, "answer", "answer") +
               instance(name_ + "_answer", "answer",
                        {{"LABEL_WIDTH", std::to_string(form_.label_width)},
                         {"MARGIN_WIDTH", std::to_string(form_.score_width)}},
                        {{"clk", "clk"},
                         {"rst", "rst"},
                         {"loaded", "loaded"},
                         {"start", "start"},
                         {"valid", "answer_valid"},
                         {"label", "answer_label"},
                         {"margin", "answer_margin"},
                         {"legal", "answer_legal"},
                         {"m_valid", "m_valid"},
                         {"m_ready", "m_ready"},
                         {"m_label", "m_label"},
                         {"m_margin", "m_margin"},
                         {"m_legal", "m_legal"}}) +
               fmt::format(
                   "    assign m_known = {};\n    assign score_valid = {}_valid;\n"
                   "    assign score = {};\n",
                   known(network_, "m_margin", form_.score_width), scores, scores);
    }

    const Network& network_;
    std::string name_;
    FoldedSizes sizes_;
    std::size_t steps_ = 0;
    Form form_;
};

}  // namespace

Form folded_form(const Network& network, const std::string& name, std::size_t parallel) {
    return Writer(network, name, parallel).write();
}

}  // namespace bitbayes::emit
