// The fully parallel form: weights are constants, one image per clock.
#include <fmt/format.h>

#include <algorithm>

#include "emit/verilog_parts.hpp"

namespace bitbayes::emit {
namespace {

using packed::Layer;
using packed::Network;

/// The numbers that a layer reads: unsigned, x = scale * number - bias.
struct Numbers {
    std::size_t width = 1;
    std::int64_t scale = 2, bias = 1;
};

Numbers input_numbers(const Network& network) {
    if (has_sign_inputs(network)) return {};
    const auto [width, is_signed] = column_format(network.quantiser.type);
    return {width, 1, is_signed ? std::int64_t{1} << (width - 1) : 0};
}

std::size_t sum_width(const Layer& layer, const Numbers& numbers, std::int64_t largest_sum) {
    const std::size_t total = numbers.width + adder_levels(layer.fan_in);
    return std::max(signed_width(largest_sum), total + static_cast<std::size_t>(numbers.scale));
}

/// runtime/rtl/layer.v: with weight +1 a number n adds scale*n - bias, with weight -1 it adds
/// scale*(largest - n), less scale*largest - bias.
std::int64_t offset(const Layer& layer, std::size_t i, const Numbers& numbers) {
    const std::int64_t largest = (std::int64_t{1} << numbers.width) - 1;
    std::int64_t sum = layer.threshold.empty() ? 0 : layer.threshold[i];
    for (std::size_t j = 0; j < layer.fan_in; ++j) {
        sum += layer.weight(i, j) > 0 ? numbers.bias : numbers.scale * largest - numbers.bias;
    }
    return sum;
}

class Writer {
  public:
    Writer(const Network& network, const std::string& name) : network_(network), name_(name) {
        form_.label_width = unsigned_width(std::max<std::size_t>(2, network.outputs()) - 1);
        form_.blocks = {"adder_tree", "layer", "argmax"};
        if (committee()) form_.blocks.push_back("vote");
        form_.figures.latency = latency();
        form_.figures.cycles_per_image = 1;
    }

    Form write() {
        std::string body = inputs();
        std::string scores;
        for (std::size_t m = 0; m < network_.members.size(); ++m) scores = member(m, body);
        if (committee()) scores = votes(body);
        body += answer(scores);
        form_.top = head() + body + "endmodule\n";
        return form_;
    }

  private:
    bool committee() const { return network_.members.size() > 1; }

    std::size_t latency() const {
        std::size_t sum = 1;
        for (const Layer& layer : network_.members[0]) sum += adder_levels(layer.fan_in) + 1;
        return sum + (committee() ? adder_levels(network_.members.size()) + 2 : 0);
    }

    std::string head() const {
        return fmt::format(
            R"(// {0}: {1} weights, fully parallel. One image per clock, its answer {2} clocks later.
module {0} (
    input  wire clk,
    input  wire rst,
    input  wire in_valid,
    input  wire [{3}:0] in_columns,  // column 0 lowest, {4} bits each
    output wire out_valid,
    output wire [{5}:0] out_label,
    output wire [{6}:0] out_margin,
    output wire out_legal,
    output wire out_known,
    output wire [{7}:0] out_scores  // output 0 lowest, {8} bits each, signed
);
)",
            name_, network_.weights(), form_.figures.latency,
            network_.quantiser.columns() * width() - 1, width(), form_.label_width - 1,
            form_.score_width - 1, network_.outputs() * form_.score_width - 1, form_.score_width);
    }

    std::size_t width() const { return column_format(network_.quantiser.type).width; }

    /// One assignment per input.
    std::string inputs() const {
        const Numbers numbers = input_numbers(network_);
        const bool flips = column_format(network_.quantiser.type).is_signed;
        std::string text = wire(network_.inputs() * numbers.width, "inputs");
        for (std::size_t k = 0; k < network_.inputs(); ++k) {
            const std::size_t low = network_.column[k] * width(), high = low + width() - 1;
            const std::string column = fmt::format("in_columns[{}:{}]", high, low);
            std::string value = column;
            if (!network_.comparator.empty()) {
                value = comparison(column, k);
            } else if (flips) {
                value = fmt::format("{{~in_columns[{}], in_columns[{}:{}]}}", high, high - 1, low);
            }
            text += fmt::format("    assign inputs[{}:{}] = {};\n", (k + 1) * numbers.width - 1,
                                k * numbers.width, value);
        }
        return text + unused_columns();
    }

    std::string comparison(const std::string& column, std::size_t k) const {
        const auto type = network_.quantiser.type;
        const int limit = travelling_comparator(type, network_.comparator[k]);
        const auto format = column_format(type);
        if (network_.asks_for_word(k)) {
            Bits code;
            code.add(limit, format.width);
            return fmt::format("{} == {}", column, code.literal());
        }
        const int lowest = format.is_signed ? -(1 << (format.width - 1)) : 0;
        if (limit < lowest) return "1'b1";
        if (limit >= lowest + (1 << format.width) - 1) return "1'b0";
        if (!format.is_signed) return fmt::format("{} > {}'d{}", column, format.width, limit);
        Bits bits;
        bits.add(limit, format.width);
        return fmt::format("$signed({}) > $signed({})", column, bits.literal());
    }

    /// Lint tools accept unread signals whose name starts with "unused".
    std::string unused_columns() const {
        std::string list;
        for (std::size_t j = 0; j < network_.quantiser.columns(); ++j) {
            if (!reads(j)) {
                list += fmt::format(", in_columns[{}:{}]", (j + 1) * width() - 1, j * width());
            }
        }
        return list.empty() ? "" : fmt::format("    wire unused_columns = &{{1'b0{}}};\n", list);
    }

    bool reads(std::size_t column) const {
        for (std::size_t k = 0; k < network_.inputs(); ++k) {
            if (network_.column[k] != column) continue;
            if (network_.comparator.empty()) return true;
            if (comparison("", k).front() != '1') return true;
        }
        return false;
    }

    /// Adds the layers of a member; returns the name of its scores.
    std::string member(std::size_t m, std::string& body) {
        Numbers numbers = input_numbers(network_);
        std::string read = "inputs";
        const auto& layers = network_.members[m];
        for (std::size_t l = 0; l < layers.size(); ++l) {
            const std::string out = fmt::format("member{}_layer{}", m, l + 1);
            layer(layers[l], {numbers, largest_sum(network_, l), l + 1 == layers.size()},
                  {read, out}, body);
            numbers = {};
            read = out;
        }
        if (!committee()) return read;
        body += wire(form_.label_width, fmt::format("member{}_label", m));
        body += wire(form_.score_width, fmt::format("unused_margin{}", m));
        body += wire(1, fmt::format("unused_legal{}", m));
        body += instance(name_ + "_argmax", fmt::format("member{}_argmax", m), argmax_parameters(),
                         {{"clk", "clk"},
                          {"scores", read},
                          {"label", fmt::format("member{}_label", m)},
                          {"margin", fmt::format("unused_margin{}", m)},
                          {"legal", fmt::format("unused_legal{}", m)}});
        return read;
    }

    struct Kind {
        Numbers numbers;
        std::int64_t largest_sum;
        bool last;
    };
    struct Signals {
        std::string in, out;
    };

    void layer(const Layer& layer, const Kind& kind, const Signals& signals, std::string& body) {
        const std::size_t width = sum_width(layer, kind.numbers, kind.largest_sum);
        const std::size_t out_width = kind.last ? width : 1;
        if (kind.last) form_.score_width = width;
        Bits weights, offsets;
        for (std::size_t i = 0; i < layer.neurons; ++i) {
            for (std::size_t j = 0; j < layer.fan_in; ++j) weights.add(layer.weight(i, j) > 0);
            offsets.add(offset(layer, i, kind.numbers), width);
        }
        body += wire(layer.neurons * out_width, signals.out);
        body += instance(name_ + "_layer", signals.out + "_neurons",
                         {{"NEURONS", std::to_string(layer.neurons)},
                          {"FAN_IN", std::to_string(layer.fan_in)},
                          {"STRIDE", std::to_string(layer.reads_all ? 0 : layer.fan_in)},
                          {"WIDTH", std::to_string(kind.numbers.width)},
                          {"LEVELS", std::to_string(adder_levels(layer.fan_in))},
                          {"SCALE", std::to_string(kind.numbers.scale)},
                          {"SUM_WIDTH", std::to_string(width)},
                          {"OUT_WIDTH", std::to_string(out_width)},
                          {"WEIGHTS", weights.literal()},
                          {"OFFSETS", offsets.literal()}},
                         {{"clk", "clk"}, {"numbers", signals.in}, {"out", signals.out}});
    }

    Pairs argmax_parameters() const {
        return {{"COUNT", std::to_string(network_.outputs())},
                {"WIDTH", std::to_string(form_.score_width)},
                {"LABEL_WIDTH", std::to_string(form_.label_width)}};
    }

    std::string votes(std::string& body) {
        const std::size_t members = network_.members.size();
        std::string labels;
        for (std::size_t m = members; m-- > 0;) {
            labels += fmt::format("{}member{}_label", labels.empty() ? "{" : ", ", m);
        }
        form_.score_width = adder_levels(members) + 2;
        body += wire(network_.outputs() * form_.score_width, "votes");
        body += instance(name_ + "_vote", "vote",
                         {{"MEMBERS", std::to_string(members)},
                          {"OUTPUTS", std::to_string(network_.outputs())},
                          {"LABEL_WIDTH", std::to_string(form_.label_width)},
                          {"LEVELS", std::to_string(adder_levels(members))}},
                         {{"clk", "clk"}, {"labels", labels + "}"}, {"scores", "votes"}});
        return "votes";
    }

    std::string answer(const std::string& scores) const {
        return instance(name_ + "_argmax", "argmax", argmax_parameters(),
                        {{"clk", "clk"},
                         {"scores", scores},
                         {"label", "out_label"},
                         {"margin", "out_margin"},
                         {"legal", "out_legal"}}) +
               fmt::format(R"(    assign out_known = {};
    reg [{}:0] scores;
    reg [{}:0] valid;
    always @(posedge clk) begin
        scores <= {};
        valid <= rst ? {}'d0 : {{valid[{}:0], in_valid}};
    end
    assign out_scores = scores;
    assign out_valid = valid[{}];
)",
                           known(network_, "out_margin", form_.score_width),
                           network_.outputs() * form_.score_width - 1, form_.figures.latency - 1,
                           scores, form_.figures.latency, form_.figures.latency - 2,
                           form_.figures.latency - 1);
    }

    const Network& network_;
    std::string name_;
    Form form_;
};

}  // namespace

Form parallel_form(const Network& network, const std::string& name) {
    return Writer(network, name).write();
}

}  // namespace bitbayes::emit
