#include "emit/c.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "bitbayes/types/error.hpp"
#include "emit/c_pages.hpp"
#include "emit/c_plan.hpp"
#include "emit/c_text.hpp"
#include "emit/names.hpp"

namespace bitbayes::emit {
namespace {

using packed::Network;
using Values = std::map<std::string, std::string>;

/// AVR compilers refuse larger objects.
constexpr std::size_t kMaxAvrBytes = 32767;

constexpr const char* kTreeOrder =
    "A neuron of layer 1 is computed when its one reader asks for it, so that no\n"
    " * layer needs a buffer.";
constexpr const char* kDenseOrder =
    "Neurons that a later dense layer reads are computed once, layer by layer,\n"
    " * into buffers of bits.";

void check_margins(const Network& network) {
    const bool sums_are_scores = network.members.size() == 1 && network.members[0].size() == 1;
    if (sums_are_scores && network.outputs() > 1 &&
        2 * network.largest_sum() > std::numeric_limits<std::int32_t>::max()) {
        throw Error(ErrorCode::kUsage, "margins of this network may not fit into 32 bits",
                    "use a hidden layer, or narrower columns");
    }
}

std::string header(const Network& network, const std::string& name) {
    const auto type = network.quantiser.type;
    const auto [low, high] = packed::range_of(type);
    const bool two_values = high - low == 1 || type == packed::ColumnType::kSign;
    const auto abstain = std::clamp<std::int64_t>(network.abstain_below, 0,
                                                  std::numeric_limits<std::int32_t>::max());
    return fill_in(
        "c/network.h", name,
        {{"columns", std::to_string(network.quantiser.columns())},
         {"classes", std::to_string(network.class_names.size())},
         {"outputs", std::to_string(network.outputs())},
         {"abstain_below", std::to_string(abstain)},
         {"class_names", c_strings(network.class_names)},
         {"column_names", column_names(network.table.names, name)},
         {"column_type", column_type(type)},
         {"column_values", fmt::format("{} {} {}", low, two_values ? "or" : "to", high)}});
}

std::string sizes(const Network& network, const CPlan& plan, const std::string& prefix) {
    std::string text = fmt::format(
        "#define {}_ROW {} /* elements of a row of weights of layer 1 */\n", prefix, plan.row);
    if (!plan.counts.values.empty()) {
        text += fmt::format("#define {}_INPUTS {}\n", prefix, network.inputs());
    }
    const auto& layers = network.members[0];
    for (std::size_t l = 1; l < layers.size(); ++l) {
        text += fmt::format("#define {}_FAN_IN_{} {}\n", prefix, l + 1, layers[l].fan_in);
        if (!layers[l].reads_all) continue;
        text += fmt::format("#define {}_ROW_{} {}\n", prefix, l + 1, plan.upper[l - 1].row);
    }
    if (network.members.size() > 1) {
        text += fmt::format("#define {}_MEMBERS {}\n", prefix, network.members.size());
    }
    return text;
}

std::string tables(const CPlan& plan, const std::string& name) {
    std::string text;
    for (const CTable* table : plan.tables()) {
        text += fmt::format("{}static const {} {}_{}[{}] {}_FLASH = {{\n{}\n}};\n",
                            text.empty() ? "" : "\n", table->type(), name, table->name,
                            table->values.size(), upper_case(name),
                            number_lines(table->values, table->hexadecimal ? table->bits / 4 : 0));
    }
    text.pop_back();
    return text;
}

std::string avr(const CPlan& plan, const std::string& name) {
    std::string text =
        plan.flash_bytes() > kMaxAvrBytes
            ? "#error \"AVR: the tables are larger than the 32 KiB that 16-bit addresses reach\"\n"
            : fill_in("c/avr.c", name, {});
    text.pop_back();
    return text;
}

/// A file of runtime/c, the number of its layer, and the buffer that a dense layer reads.
struct Piece {
    std::string file;
    std::size_t layer = 1;
    std::size_t buffer = 0;
};

/// Dense layers read the two buffers in turn.
void add_upper_layers(const CPlan& plan, std::vector<Piece>& result) {
    std::size_t layer = 1, buffer = 1;
    for (const CUpperLayer& upper : plan.upper) {
        ++layer;
        if (!upper.dense()) {
            result.push_back({"c/layer.c", layer});
            continue;
        }
        buffer = 1 - buffer;
        const bool table = !upper.constants.values.empty();
        result.push_back({"c/signs.c", layer, buffer});
        result.push_back({table ? "c/dense_constants.c" : "c/dense.c", layer, buffer});
    }
}

/// What computes this network, in order.
std::vector<Piece> pieces(const Network& network, const CPlan& plan) {
    std::vector<Piece> result;
    if (!plan.on_bits) {
        const bool all = plan.used.values.empty();
        result = {{"c/values.c"},
                  {all ? "c/read_values.c" : "c/read_used_values.c"},
                  {"c/layer_values.c"}};
    } else {
        const bool compares = !plan.counts.values.empty();
        result = {{"c/bits.c"},
                  {compares ? "c/read_comparators.c" : "c/read_bits.c"},
                  {"c/layer_bits.c"}};
    }
    if (plan.on_bits || plan.buffers > 0) result.insert(result.begin() + 1, {"c/ones.c"});
    add_upper_layers(plan, result);
    const bool two = network.outputs() == 1;
    if (network.members.size() == 1) {
        result.push_back({"c/scores.c"});
    } else {
        result.push_back({two ? "c/scores_committee_two.c" : "c/scores_committee.c"});
    }
    result.push_back({two ? "c/decide_two.c" : "c/decide.c"});
    result.push_back({"c/answers.c"});
    return result;
}

/// Whether input k, a comparison of column c, is on.
std::string condition(const CPlan& plan, const std::string& name) {
    if (plan.comparators.values.empty()) return "";
    const std::string limit =
        fmt::format("({}){}_READ_{}(&{}_comparators[k])", plan.comparators.type(), upper_case(name),
                    plan.comparators.bits, name);
    if (plan.words.values.empty()) return "x[c] > " + limit;
    return fmt::format("{0}_READ_8(&{1}_words[c]) != 0 ? x[c] == {2} : x[c] > {2}",
                       upper_case(name), name, limit);
}

/// Buffers for dense layers, in what layer 1 reads.
std::string signs(const CPlan& plan) {
    if (plan.buffers == 0) return "";
    return fmt::format(
        "    uint32_t signs[{}][{}]; /* of neurons that dense layers read, lowest bit first */\n",
        plan.buffers, plan.buffer_row);
}

/// Fills the buffers of one member, layer by layer.
std::string hidden(const Network& network, const CPlan& plan, const std::string& name) {
    const bool committee = network.members.size() > 1;
    std::string text;
    for (std::size_t l = 1; l <= plan.upper.size(); ++l) {
        if (!plan.upper[l - 1].dense()) continue;
        text += fmt::format("{}{}_signs_{}(&input, {});\n", committee ? "        " : "    ", name,
                            l, committee ? "member" : "0");
    }
    return text;
}

/// All template values but those that differ from layer to layer.
Values values_of(const Network& network, const CPlan& plan, const std::string& name) {
    const auto word = std::to_string(plan.weights.bits);
    const std::string mask =
        fmt::format("({0}_word)(word & {1}_READ_{2}(&{0}_used[w]))", name, upper_case(name), word);
    return {{"avr", avr(plan, name)},
            {"sizes", sizes(network, plan, upper_case(name))},
            {"index_type", plan.largest_index <= 65535 ? "uint_fast16_t" : "uint_fast32_t"},
            {"sum_type", plan.largest_sum <= 32767 ? "int_fast16_t" : "int_fast32_t"},
            {"largest_sum", std::to_string(plan.largest_sum)},
            {"tables", tables(plan, name)},
            {"offset_type", plan.offsets.type()},
            {"offset_bits", std::to_string(plan.offsets.bits)},
            {"word_type", plan.weights.type()},
            {"word_bits", word},
            {"word", plan.used.values.empty() ? "word" : mask},
            {"count_bits", std::to_string(plan.counts.bits)},
            {"condition", condition(plan, name)},
            {"step", std::to_string(plan.step)},
            {"step_times", plan.step == 1 ? "" : std::to_string(plan.step) + " * "},
            {"order", plan.buffers == 0 ? kTreeOrder : kDenseOrder},
            {"signs", signs(plan)},
            {"hidden", hidden(network, plan, name)},
            {"last", std::to_string(network.members[0].size())}};
}

std::string code(const Network& network, const COptions& options) {
    const CPlan plan(network);
    Values values = values_of(network, plan, options.name);
    values["include"] =
        options.single_header ? "" : fmt::format("#include \"{}.h\"\n", options.name);
    std::string text = fill_in("c/network.c", options.name, values);
    for (const auto& [file, layer, buffer] : pieces(network, plan)) {
        values["layer"] = std::to_string(layer);
        values["below"] = std::to_string(layer - 1);
        values["buffer"] = std::to_string(buffer);
        text += '\n' + fill_in(file, options.name, values);
    }
    return text;
}

}  // namespace

Files emit_c(const Network& network, const COptions& options) {
    check_name(options.name);
    check_margins(network);
    const std::string folder = options.arduino ? "src/" : "";
    Files files;
    std::string& h = files[folder + options.name + ".h"];
    h = header(network, options.name);
    if (options.single_header) {
        h += fmt::format("\n#ifdef {0}_IMPLEMENTATION\n{1}\n#endif\n", upper_case(options.name),
                         code(network, options));
    } else {
        files[folder + options.name + ".c"] = code(network, options);
    }
    files["README.md"] = c_readme(network, options);
    files.merge(c_example(network, options));
    check_files(options.name, files);
    return files;
}

}  // namespace bitbayes::emit
