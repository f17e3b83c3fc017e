// The folded form: weights in ROMs, some neurons at a time.
#include <fmt/format.h>

#include <algorithm>

#include "emit/verilog_dense.hpp"
#include "emit/verilog_stream.hpp"

namespace bitbayes::emit {
namespace {

using packed::Network;

class Writer {
  public:
    Writer(const Network& network, const std::string& name, std::size_t parallel)
        : network_(network), name_(name), sizes_(network, parallel) {
        form_.label_width = unsigned_width(std::max<std::size_t>(2, network.outputs()) - 1);
        form_.blocks = {
            "columns",       "rom",    "ram", "loader", dense() ? "dense_layers" : "neurons",
            "argmax_stream", "answers"};
        if (trees()) form_.blocks.insert(form_.blocks.end(), {"popcount", "tree_layer"});
        if (committee()) form_.blocks.push_back(network.adds_scores ? "add_stream" : "vote_stream");
    }

    Form write() {
        std::string body = stream_input(network_, name_) + loader() + neurons();
        std::string scores = "neurons";
        form_.score_width = sizes_.lane_width;
        for (std::size_t l = sizes_.dense; l < depth(); ++l) body += tree_layer(l, scores);
        if (committee()) body += network_.adds_scores ? added(scores) : votes(scores);
        body += stream_output(network_, name_, form_, scores, {});
        form_.figures.folded = true;
        form_.figures.parallel = sizes_.lanes;
        form_.figures.latency = form_.figures.cycles_per_image =
            folded_clocks(network_, sizes_, steps_);
        form_.top =
            stream_head(
                network_, name_,
                fmt::format("folded: {} neurons{} per clock, at most {} clocks per row",
                            sizes_.lanes, dense() ? "" : " of layer 1", form_.figures.latency)) +
            body + "endmodule\n";
        return form_;
    }

  private:
    bool committee() const { return network_.members.size() > 1; }
    std::size_t depth() const { return network_.members[0].size(); }
    /// Whether dense layers share the accumulators.
    bool dense() const { return sizes_.dense > 1; }
    bool trees() const { return depth() > sizes_.dense; }

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
        return wire(1, "free") + wire(sizes_.count_width, "count") +
               wire(sizes_.sum_width, "total") + wire(index, "entry") +
               wire(sizes_.word_width, "index") + wire(sizes_.value_width, "value") +
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
                         {"valid", "valid"},
                         {"ready", "ready"},
                         {"column", "column"},
                         {"last", "last"},
                         {"wrong", "wrong"},
                         {"loaded", "loaded"},
                         {"loaded_wrong", "loaded_wrong"},
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
        const std::size_t levels = popcount_levels(lanes);
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

    /// Reads the members' signal `scores` and replaces the name by that of their sums.
    std::string added(std::string& scores) {
        const std::size_t members = network_.members.size();
        const std::size_t in_width = form_.score_width;
        form_.score_width = committee_width(network_, in_width);
        const std::string text =
            wire(1, "added_valid") + wire(form_.score_width, "added", true) +
            instance(name_ + "_add_stream", "add",
                     {{"MEMBERS", std::to_string(members)},
                      {"MEMBER_WIDTH", std::to_string(unsigned_width(members - 1))},
                      {"OUTPUTS", std::to_string(network_.outputs())},
                      {"INDEX_WIDTH", std::to_string(unsigned_width(network_.outputs() - 1))},
                      {"IN_WIDTH", std::to_string(in_width)},
                      {"WIDTH", std::to_string(form_.score_width)}},
                     {{"clk", "clk"},
                      {"rst", "rst"},
                      {"valid", scores + "_valid"},
                      {"score", scores},
                      {"out_valid", "added_valid"},
                      {"sum", "added"}});
        scores = "added";
        return text;
    }

    /// Reads the members' signal `scores` and replaces the name by that of the votes.
    std::string votes(std::string& scores) {
        std::string text = label_of(network_, name_, form_, {scores, "labels_valid"});
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
                          {"valid", "labels_valid"},
                          {"label", scores + "_label"},
                          {"out_valid", "votes_valid"},
                          {"score", "votes"}});
        scores = "votes";
        return text;
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
