// The parallel form: weights are constants, every layer works on all its neurons at once.
#include <fmt/format.h>

#include <algorithm>

#include "emit/verilog_roms.hpp"
#include "emit/verilog_stream.hpp"

namespace bitbayes::emit {
namespace {

using packed::Layer;
using packed::Network;

class Writer {
  public:
    Writer(const Network& network, const std::string& name) : network_(network), name_(name) {
        form_.label_width = unsigned_width(std::max<std::size_t>(2, network.outputs()) - 1);
        form_.blocks = {"columns", "scores", "argmax_stream", "answers"};
        form_.blocks.push_back(compares() ? "counts" : "sums");
        if (compares() || depth() > 1 || votes()) form_.blocks.push_back("popcount");
        if (depth() > 1) form_.blocks.push_back("layer");
        if (committee()) form_.blocks.push_back(votes() ? "vote" : "add");
        inputs_.resize(columns());
        for (std::size_t k = 0; k < network.inputs(); ++k) inputs_[network.column[k]].push_back(k);
    }

    Form write() {
        set_figures();
        std::string body =
            "    wire unused_path = ROM_PATH == \"\";\n" + stream_input(network_, name_);
        body += compares() ? counts() : sums();
        for (std::size_t m = 0; m < network_.members.size(); ++m) body += member(m);
        body += !committee() ? shifted("scores", member_scores(0), "layers_valid", "scores_valid")
                : votes()    ? voted()
                             : added();
        body += stream_output(network_, name_, form_, "scores", answer_places());
        form_.top =
            stream_head(network_, name_,
                        fmt::format("parallel: a row per {} clocks, its answer {} clocks "
                                    "after its first column",
                                    form_.figures.cycles_per_image, form_.figures.latency)) +
            body + "endmodule\n";
        return form_;
    }

  private:
    bool compares() const { return !network_.comparator.empty(); }
    bool committee() const { return network_.members.size() > 1; }
    bool votes() const { return committee() && !network_.adds_scores; }
    std::size_t depth() const { return network_.members[0].size(); }
    std::size_t columns() const { return network_.quantiser.columns(); }

    /// Clocks from the sums of layer 1 to the scores of each member.
    std::size_t layer_clocks() const {
        std::size_t clocks = 0;
        for (std::size_t l = 1; l < depth(); ++l) {
            clocks += popcount_levels(network_.members[0][l].fan_in) + 1;
        }
        return clocks;
    }
    std::size_t vote_clocks() const { return popcount_levels(network_.members.size()) + 1; }
    std::size_t add_clocks() const { return unsigned_width(network_.members.size() - 1); }

    void set_figures() {
        const std::size_t to_load = columns() + (compares() ? 1 : 2);
        const std::size_t to_sums = compares() ? popcount_levels(slots()) + 2 : 1;
        std::size_t clocks = to_sums + layer_clocks() + network_.outputs() + 2;
        if (committee()) {
            clocks += votes() ? vote_clocks() + network_.outputs() + 2 : add_clocks();
        }
        form_.figures.cycles_per_image = std::max(to_load, network_.outputs());
        form_.figures.latency = to_load + clocks + 2;
        clocks_after_start_ = clocks;
    }
    /// So many that a sink that is always ready never keeps a row waiting.
    AnswerPlaces answer_places() const {
        return {(clocks_after_start_ + 2) / form_.figures.cycles_per_image + 1, network_.outputs()};
    }

    /// What both blocks of layer 1 have in common; `width` is that of their sums.
    std::string layer_1(const std::string& block, Pairs parameters, std::size_t width) {
        const auto& members = network_.members;
        const std::size_t neurons = members[0][0].neurons;
        const bool last = depth() == 1;
        if (last) form_.score_width = width;
        const std::size_t bits = neurons * (last ? width : 1);
        parameters.insert(parameters.begin(),
                          {{"NEURONS", std::to_string(members.size() * neurons)},
                           {"COLUMNS", std::to_string(columns())},
                           {"INDEX_WIDTH", std::to_string(unsigned_width(columns() - 1))},
                           {"SUM_WIDTH", std::to_string(width)},
                           {"OUT_WIDTH", std::to_string(last ? width : 1)}});
        std::string text = wire(1, "sums_valid") + wire(members.size() * bits, "sums") +
                           instance(name_ + "_" + block, "layer1", parameters,
                                    {{"clk", "clk"},
                                     {"rst", "rst"},
                                     {"valid", "valid"},
                                     {"ready", "ready"},
                                     {"column", "column"},
                                     {"last", "last"},
                                     {"wrong", "wrong"},
                                     {"loaded", "loaded"},
                                     {"loaded_wrong", "loaded_wrong"},
                                     {"start", "start"},
                                     {"out_valid", "sums_valid"},
                                     {"out", "sums"}});
        for (std::size_t m = 0; m < members.size(); ++m) {
            text += fmt::format("    wire [{}:0] {} = sums[{}:{}];\n", bits - 1, layer_name(m, 0),
                                (m + 1) * bits - 1, m * bits);
        }
        return text + valid_after("sums_valid", "layers_valid", layer_clocks());
    }

    /// Layer 1 of all members, where the inputs are the columns.
    std::string sums() {
        const std::size_t value_width = column_format(network_.quantiser.type).width;
        const std::size_t width = std::max(signed_width(largest_sum(network_, 0)), value_width + 1);
        Bits inputs, weights, first;
        for (std::size_t j = 0; j < columns(); ++j) inputs.add(!inputs_[j].empty());
        for_all_neurons([&](const NeuronPlace& place) {
            const Layer& layer = network_.members[place.member][0];
            for (const auto& input : inputs_) {
                weights.add(!input.empty() && layer.weight(place.i, input[0]) > 0);
            }
            first.add(first_number(network_, place), width);
        });
        return layer_1("sums",
                       {{"VALUE_WIDTH", std::to_string(value_width)},
                        {"VALUE_SIGNED", has_signed_values(network_) ? "1" : "0"},
                        {"SHIFT", has_sign_inputs(network_) ? "1" : "0"},
                        {"WEIGHTS", weights.literal()},
                        {"INPUTS", inputs.literal()},
                        {"FIRST", first.literal()}},
                       width);
    }

    /// Layer 1 of all members, with comparators. A slot without one always agrees.
    std::string counts() {
        const auto type = network_.quantiser.type;
        const auto format = column_format(type);
        const std::size_t levels = popcount_levels(slots());
        const std::size_t width = std::max(signed_width(largest_sum(network_, 0)), levels + 3);
        const auto there = [&](std::size_t s, std::size_t j) { return s < inputs_[j].size(); };
        Bits limits, words, weights, first;
        for (std::size_t s = 0; s < slots(); ++s) {
            for (std::size_t b = 0; b <= format.width; ++b) {
                for (std::size_t j = 0; j < columns(); ++j) {
                    const int limit = there(s, j) ? network_.comparator[inputs_[j][s]]
                                                  : packed::range_of(type).high;
                    limits.add((travelling_comparator(type, limit) >> b & 1) != 0);
                }
            }
            for (std::size_t j = 0; j < columns(); ++j) {
                words.add(there(s, j) && network_.asks_for_word(inputs_[j][s]));
            }
        }
        const std::size_t empty = slots() * columns() - network_.inputs();
        for_all_neurons([&](const NeuronPlace& place) {
            const Layer& layer = network_.members[place.member][0];
            for (std::size_t s = 0; s < slots(); ++s) {
                for (std::size_t j = 0; j < columns(); ++j) {
                    weights.add(there(s, j) && layer.weight(place.i, inputs_[j][s]) > 0);
                }
            }
            const auto always = static_cast<std::int64_t>(network_.inputs() + 2 * empty);
            first.add(-always - layer.threshold[place.i], width);
        });
        return layer_1("counts",
                       {{"COLUMN_WIDTH", std::to_string(format.width)},
                        {"COLUMN_SIGNED", std::to_string(int{format.is_signed})},
                        {"SLOTS", std::to_string(slots())},
                        {"LEVELS", std::to_string(levels)},
                        {"LIMITS", limits.literal()},
                        {"WORDS", words.literal()},
                        {"WEIGHTS", weights.literal()},
                        {"FIRST", first.literal()}},
                       width);
    }

    template <typename Visit>
    void for_all_neurons(const Visit& visit) const {
        for (std::size_t m = 0; m < network_.members.size(); ++m) {
            for (std::size_t i = 0; i < network_.members[m][0].neurons; ++i) visit({m, 0, i});
        }
    }

    /// The most inputs of a column.
    std::size_t slots() const {
        std::size_t most = 0;
        for (const auto& input : inputs_) most = std::max(most, input.size());
        return most;
    }

    /// `out` is `in` so many clocks later, 0 after a reset.
    static std::string valid_after(const std::string& in, const std::string& out,
                                   std::size_t clocks) {
        if (clocks == 0) return fmt::format("    wire {} = {};\n", out, in);
        const std::string stages = out + "_stages";
        const std::string next =
            clocks == 1 ? in : fmt::format("{{{}[{}:0], {}}}", stages, clocks - 2, in);
        return fmt::format(
            "    reg [{0}:0] {1};\n    always @(posedge clk) {1} <= rst ? {2}'d0 : {3};\n"
            "    wire {4} = {1}[{0}];\n",
            clocks - 1, stages, clocks, next, out);
    }

    static std::string layer_name(std::size_t m, std::size_t l) {
        return fmt::format("member{}_layer{}", m, l + 1);
    }
    std::string member_scores(std::size_t m) const { return layer_name(m, depth() - 1); }

    /// The layers of a member that read signs.
    std::string member(std::size_t m) {
        std::string text;
        for (std::size_t l = 1; l < depth(); ++l) text += layer(m, l, layer_name(m, l - 1));
        return text;
    }

    /// A layer that reads signs. 2 agree - fan_in - t >= 0 iff agree >= (fan_in + t) / 2.
    std::string layer(std::size_t m, std::size_t l, const std::string& in) {
        const Layer& layer = network_.members[m][l];
        const std::size_t levels = popcount_levels(layer.fan_in);
        const auto fan_in = static_cast<std::int64_t>(layer.fan_in);
        const bool last = l + 1 == depth();
        const std::size_t width =
            last ? std::max(signed_width(largest_sum(network_, l)), levels + 3) : levels + 2;
        Bits weights, numbers;
        for (std::size_t i = 0; i < layer.neurons; ++i) {
            for (std::size_t j = 0; j < layer.fan_in; ++j) weights.add(layer.weight(i, j) > 0);
            const std::int64_t offset = fan_in + (layer.threshold.empty() ? 0 : layer.threshold[i]);
            const auto least = std::clamp<std::int64_t>((offset + 1) / 2, 0, fan_in + 1);
            numbers.add(last ? offset : least, width);
        }
        if (last) form_.score_width = width;
        const std::size_t out_width = last ? width : 1;
        const std::string out = layer_name(m, l);
        return wire(layer.neurons * out_width, out) +
               instance(name_ + "_layer", out + "_neurons",
                        {{"NEURONS", std::to_string(layer.neurons)},
                         {"FAN_IN", std::to_string(layer.fan_in)},
                         {"STRIDE", std::to_string(layer.reads_all ? 0 : layer.fan_in)},
                         {"LEVELS", std::to_string(levels)},
                         {"OUT_WIDTH", std::to_string(out_width)},
                         {"NUMBER_WIDTH", std::to_string(width)},
                         {"WEIGHTS", weights.literal()},
                         {"NUMBERS", numbers.literal()}},
                        {{"clk", "clk"}, {"signs", in}, {"out", out}});
    }

    /// Scores one after another: the signals OUT and OUT_VALID.
    std::string shifted(const std::string& out, const std::string& scores, const std::string& valid,
                        const std::string& out_valid) const {
        return wire(1, out_valid) + wire(form_.score_width, out, true) +
               instance(name_ + "_scores", out + "_shift",
                        {{"COUNT", std::to_string(network_.outputs())},
                         {"COUNT_WIDTH", std::to_string(unsigned_width(network_.outputs()))},
                         {"WIDTH", std::to_string(form_.score_width)}},
                        {{"clk", "clk"},
                         {"rst", "rst"},
                         {"valid", valid},
                         {"scores", scores},
                         {"out_valid", out_valid},
                         {"score", out}});
    }

    std::string voted() {
        const std::size_t members = network_.members.size();
        std::string text, labels;
        for (std::size_t m = 0; m < members; ++m) {
            const std::string name = fmt::format("member{}", m);
            text += shifted(name, member_scores(m), "layers_valid", name + "_valid");
            // All members answer at the same time.
            text += label_of(network_, name_, form_,
                             {name, m == 0 ? "labels_valid" : "unused_" + name + "_valid"});
            labels = fmt::format("{}_label{}", name, labels.empty() ? "" : ", ") + labels;
        }
        form_.score_width = popcount_levels(members) + 2;
        text += wire(network_.outputs() * form_.score_width, "votes");
        text += instance(name_ + "_vote", "vote",
                         {{"MEMBERS", std::to_string(members)},
                          {"OUTPUTS", std::to_string(network_.outputs())},
                          {"LABEL_WIDTH", std::to_string(form_.label_width)},
                          {"LEVELS", std::to_string(popcount_levels(members))}},
                         {{"clk", "clk"}, {"labels", "{" + labels + "}"}, {"scores", "votes"}});
        text += valid_after("labels_valid", "votes_valid", vote_clocks());
        return text + shifted("scores", "votes", "votes_valid", "scores_valid");
    }

    /// The scores of all members one class after another, and their sums.
    std::string added() {
        const std::size_t members = network_.members.size(), in_width = form_.score_width;
        std::string text, numbers;
        for (std::size_t m = 0; m < members; ++m) {
            const std::string name = fmt::format("member{}", m);
            // All members keep step.
            text += shifted(name, member_scores(m), "layers_valid",
                            m == 0 ? "members_valid" : "unused_" + name + "_valid");
            numbers = fmt::format("{}{}", name, numbers.empty() ? "" : ", ") + numbers;
        }
        form_.score_width = committee_width(network_, in_width);
        return text + wire(form_.score_width, "scores", true) +
               instance(name_ + "_add", "add",
                        {{"COUNT", std::to_string(members)},
                         {"LEVELS", std::to_string(add_clocks())},
                         {"IN_WIDTH", std::to_string(in_width)},
                         {"WIDTH", std::to_string(form_.score_width)}},
                        {{"clk", "clk"}, {"numbers", "{" + numbers + "}"}, {"sum", "scores"}}) +
               valid_after("members_valid", "scores_valid", add_clocks());
    }

    const Network& network_;
    std::string name_;
    std::vector<std::vector<std::size_t>> inputs_;  // of each column
    std::size_t clocks_after_start_ = 0;
    Form form_;
};

}  // namespace

Form parallel_form(const Network& network, const std::string& name) {
    return Writer(network, name).write();
}

}  // namespace bitbayes::emit
