#include "emit/c_learn.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "emit/c_plan.hpp"
#include "emit/c_text.hpp"
#include "emit/names.hpp"

namespace bitbayes::emit {
namespace {

using device::Network;
using Numbers = std::vector<std::int64_t>;
using Values = std::map<std::string, std::string>;

constexpr std::size_t kMaxAvrBytes = 32767;

template <class T>
CTable table(std::string name, bool is_signed, int bits, const std::vector<T>& values) {
    return {std::move(name), is_signed, bits, false, Numbers(values.begin(), values.end())};
}

/// Of 8 bits if they suffice, else of 16 or 32.
template <class T>
CTable small_table(std::string name, const std::vector<T>& values) {
    CTable result = table(std::move(name), false, 8, values);
    const auto [low, high] = std::minmax_element(result.values.begin(), result.values.end());
    if (*low >= 0 && *high <= 255) return result;
    result.is_signed = true;
    result.bits = *low >= -32768 && *high <= 32767 ? 16 : 32;
    return result;
}

bool all_columns(const Network& network) {
    return network.clipped.inputs() == network.clipped.quantiser.columns();
}

std::vector<CTable> input_tables(const Network& network) {
    std::vector<CTable> result;
    const auto& clipped = network.clipped;
    if (!clipped.comparator.empty() || !all_columns(network)) {
        result.push_back(small_table("columns", clipped.column));
    }
    if (!clipped.comparator.empty()) {
        result.push_back(small_table("comparators", clipped.comparator));
        if (!clipped.table.categories.empty()) {
            Numbers words;
            for (const auto& list : clipped.table.categories) words.push_back(list.empty() ? 0 : 1);
            result.push_back(table("words", false, 8, words));
        }
    }
    if (!network.inputs.mean.empty()) {
        result.push_back(small_table("centres", network.inputs.mean));
    }
    return result;
}

std::vector<CTable> tables_of(const Network& network) {
    const device::Tables& t = network.tables;
    std::vector<CTable> result{
        table("means", true, 16, t.mean), table("variances", false, 16, t.variance),
        table("mills", false, 16, t.mills), table("slopes", false, 16, t.slope),
        table("roots", false, 16, t.root)};
    if (network.hidden > 0) {
        result.push_back(table("densities", false, 16, t.density));
        result.push_back(table("signs", false, 16, t.sign));
    }
    for (CTable& one : input_tables(network)) result.push_back(std::move(one));
    result.push_back(table("start_1", true, 8, network.h1));
    if (network.hidden > 0) result.push_back(table("start_2", true, 8, network.h2));
    return result;
}

std::string read_of(const Network& network, const std::string& name, const std::string& wanted,
                    const std::string& index) {
    for (const CTable& one : input_tables(network)) {
        if (one.name != wanted) continue;
        return fmt::format("({}){}_READ_{}(&{}_{}[{}])", one.type(), upper_case(name), one.bits,
                           name, wanted, index);
    }
    return "";
}

/// Input k before its mean is subtracted.
std::string value_text(const Network& network, const std::string& name) {
    const auto factor = std::to_string(network.inputs.left);
    const bool direct = network.clipped.comparator.empty();
    const std::string x = direct && all_columns(network) ? "x[k]" : "x[c]";
    if (direct) return fmt::format("(int32_t){} * {}", x, factor);
    const std::string limit = read_of(network, name, "comparators", "k");
    std::string condition = fmt::format("{} > {}", x, limit);
    if (const auto word = read_of(network, name, "words", "c"); !word.empty()) {
        condition = fmt::format("({} != 0) ? ({} == {}) : ({})", word, x, limit, condition);
    }
    return fmt::format("({}) ? {} : -{}", condition, factor, factor);
}

std::string mean_text(const Network& network, const std::string& name) {
    std::string text;
    if (!network.inputs.mean.empty()) text += " - " + read_of(network, name, "centres", "k");
    if (network.inputs.right > 0) text += fmt::format(" + {}", network.inputs.half());
    return text;
}

std::string work_text(const Network& network) {
    if (network.hidden == 0) return "";
    return fmt::format(
        "    int16_t z[{0}]; /* of the hidden neurons of one output */\n"
        "    int16_t nu[{0}]; /* their means, then the messages to them */\n"
        "    uint16_t root[{0}]; /* one over their standard deviations */\n"
        "    uint8_t exponent[{0}];\n",
        network.hidden);
}

std::string tables_text(const Network& network, const std::string& name) {
    std::string text;
    for (const CTable& one : tables_of(network)) {
        text +=
            fmt::format("static const {} {}_{}[{}] {}_FLASH = {{\n{}\n}};\n\n", one.type(), name,
                        one.name, one.values.size(), upper_case(name), number_lines(one.values));
    }
    text.resize(text.size() - 2);
    return text;
}

std::string avr_text(const Network& network, const std::string& name) {
    std::string text =
        learn_figures(network).flash_bytes > kMaxAvrBytes
            ? "#error \"AVR: the tables are larger than the 32 KiB that 16-bit addresses reach\"\n"
            : fill_in("c/avr.c", name, {});
    text.pop_back();
    return text;
}

Values header_values(const Network& network, const std::string& name) {
    const auto& clipped = network.clipped;
    const auto type = clipped.quantiser.type;
    const auto [low, high] = packed::range_of(type);
    const bool two = high - low == 1 || type == packed::ColumnType::kSign;
    const bool hidden = network.hidden > 0;
    return {{"columns", std::to_string(clipped.quantiser.columns())},
            {"classes", std::to_string(clipped.class_names.size())},
            {"outputs", std::to_string(network.outputs())},
            {"state_bytes", std::to_string(learn_figures(network).state_bytes)},
            {"class_names", c_strings(clipped.class_names)},
            {"column_names", column_names(clipped.table.names, name)},
            {"column_type", column_type(type)},
            {"column_values", fmt::format("{} {} {}", low, two ? "or" : "to", high)},
            {"and_h2", hidden ? " and h2" : ""},
            {"fan_in", std::to_string(network.fan_in())},
            {"weights_1", std::to_string(network.h1.size())},
            {"work", work_text(network)},
            {"h2", hidden ? fmt::format("    int8_t h2[{}];\n", network.h2.size()) : ""}};
}

/// What the arithmetic of layer 1 depends on.
Values layer_values(const Network& network) {
    const int U = network.inputs.bits;
    const bool last = network.hidden == 0;
    return {{"square_bits", std::to_string(std::max(0, 2 * U - 16))},
            {"variance_bits", std::to_string(24 - U)},
            {"sum_power", std::to_string(U / 2 + 8)},
            {"ratio_bits", std::to_string(U / 2 + 16)},
            {"step", std::to_string(network.step)},
            {"step_shift", std::to_string(network.step_bits - 1)},
            {"gain", last ? "2 phi(z_j) / Phi(D z_j)" : "2 phi(z_j)"},
            {"gain_ratio",
             last ? "bbnet_mills_ratio((message > 0) ? -rest : rest)" : "bbnet_density(rest)"},
            {"gain_bits", last ? "11" : "16"}};
}

Values code_values(const Network& network, const std::string& name) {
    const bool hidden = network.hidden > 0;
    const std::string column = read_of(network, name, "columns", "k");
    Values values = layer_values(network);
    values.insert(
        {{"include", fmt::format("#include \"{}.h\"\n", name)},
         {"avr", avr_text(network, name)},
         {"inputs", std::to_string(network.clipped.inputs())},
         {"fan_in", std::to_string(network.fan_in())},
         {"hidden", hidden ? fmt::format("#define {}_HIDDEN {} /* neurons per output */\n",
                                         upper_case(name), network.hidden)
                           : ""},
         {"limit", std::to_string(network.inputs.limit())},
         {"index_type", network.h1.size() <= 65535 ? "uint_fast16_t" : "uint_fast32_t"},
         {"tables", tables_text(network, name)},
         {"column",
          column.empty() ? "" : fmt::format("        const {}_index c = {};\n", name, column)},
         {"value", value_text(network, name)},
         {"mean", mean_text(network, name)},
         {"right", std::to_string(network.inputs.right)},
         {"constant", network.inputs.constant
                          ? fmt::format("    {}_learned.u[{}_INPUTS] = {};\n", name,
                                        upper_case(name), *network.inputs.constant)
                          : ""},
         {"weights_1", std::to_string(network.h1.size())},
         {"weights_2", std::to_string(network.h2.size())},
         {"last", hidden ? "2" : "1"},
         {"positive", network.outputs() == 1 ? "1" : "k"}});
    std::string& gain = values["gain_ratio"];
    gain.replace(gain.find("bbnet"), 5, name);
    return values;
}

std::string code(const Network& network, const std::string& name) {
    const Values values = code_values(network, name);
    std::string text = fill_in("c/learn.c", name, values);
    const bool hidden = network.hidden > 0;
    std::vector<std::string> pieces{"c/learn_layer.c",
                                    "c/learn_read.c",
                                    hidden ? "c/learn_two.c" : "c/learn_one.c",
                                    "c/learn_scores.c",
                                    network.outputs() == 1 ? "c/decide_two.c" : "c/decide.c",
                                    "c/answers.c"};
    if (hidden) pieces.insert(pieces.begin(), "c/learn_density.c");
    for (const auto& piece : pieces) text += '\n' + fill_in(piece, name, values);
    return text;
}

std::string report(const Network& network, const std::string& name) {
    const LearnFigures figures = learn_figures(network);
    const nlohmann::json object{{"name", name},
                                {"weights", figures.weights},
                                {"flash_bytes", figures.flash_bytes},
                                {"state_bytes", figures.state_bytes},
                                {"row_bytes", figures.row_bytes}};
    return object.dump(2) + '\n';
}

}  // namespace

LearnFigures learn_figures(const Network& network) {
    LearnFigures figures;
    for (const CTable& one : tables_of(network)) figures.flash_bytes += one.bytes();
    figures.weights = network.h1.size() + network.h2.size();
    const std::size_t work = 2 * network.fan_in() + 7 * network.hidden;
    figures.state_bytes = (4 + work + figures.weights + 3) / 4 * 4;
    const bool wide = network.clipped.quantiser.type == packed::ColumnType::kI16;
    figures.row_bytes = network.clipped.quantiser.columns() * (wide ? 2 : 1);
    return figures;
}

Files emit_learning_c(const Network& network, const std::string& name,
                      const std::vector<std::int16_t>& example) {
    check_name(name);
    const auto& row = example.empty() ? network.clipped.quantiser.missing : example;
    Files files;
    files[name + ".h"] = fill_in("c/learn.h", name, header_values(network, name));
    files[name + ".c"] = code(network, name);
    files["README.md"] = learn_readme(network, name);
    files["report.json"] = report(network, name);
    files["example/main.c"] = fill_in(
        "c/learn_example.c", name, {{"row_values", number_lines(Numbers(row.begin(), row.end()))}});
    check_files(name, files);
    return files;
}

std::string learn_verify_main(const Network& network, const std::string& name) {
    if (network.hidden == 0)
        return fill_in("c/learn_verify.c", name, {{"hash_2", ""}, {"write_2", ""}});
    return fill_in(
        "c/learn_verify.c", name,
        {{"hash_2",
          fmt::format("    hash = hashed(hash, {0}_learned.h2, sizeof {0}_learned.h2);\n", name)},
         {"write_2", fmt::format("    if (!write_all({0}_learned.h2, sizeof {0}_learned.h2, out)) "
                                 "{{\n        return 2;\n    }}\n",
                                 name)}});
}

}  // namespace bitbayes::emit
