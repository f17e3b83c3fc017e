#include "emit/c.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "bitbayes/types/error.hpp"
#include "emit/c_pages.hpp"
#include "emit/c_plan.hpp"
#include "emit/c_raw.hpp"
#include "emit/c_text.hpp"
#include "emit/names.hpp"

namespace bitbayes::emit {
namespace {

using packed::Network;
using Values = std::map<std::string, std::string>;

/// AVR compilers refuse larger objects.
constexpr std::size_t kMaxAvrBytes = 32767;

void check_margins(const Network& network) {
    if (network.outputs() > 1 &&
        2 * network.largest_score() > std::numeric_limits<std::int32_t>::max()) {
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
         {"raw", network.quantiser.has_raw() ? fill_in("c/raw.h", name, {}) : ""},
         {"column_values", fmt::format("{} {} {}", low, two_values ? "or" : "to", high)}});
}

std::string sizes(const Network& network, const CPlan& plan, const std::string& prefix) {
    std::string text = fmt::format(
        "#define {0}_PLANES {1}U /* bits of a sum */\n"
        "#define {0}_CHUNK ({2}U * {0}_SPLIT) /* words of neurons that are computed at a time */\n"
        "#define {0}_LISTS {3}U /* of inputs to be added */\n"
        "#define {0}_LIST {4}U /* inputs of a list, at most */\n",
        prefix, plan.planes, plan.chunk, plan.lists, plan.list);
    for (std::size_t l = 0; l < plan.layers.size(); ++l) {
        const CLayer& layer = plan.layers[l];
        text += fmt::format(
            "#define {0}_NEURONS_{1} {2}U\n#define {0}_FAN_IN_{1} {3}U\n"
            "#define {0}_TABLE_{1} {4}U /* words of {5} */\n",
            prefix, l + 1, layer.neurons, layer.fan_in, layer.table,
            layer.kind == CKind::kRows ? "a row" : "a member");
    }
    if (network.members.size() > 1) {
        text += fmt::format("#define {}_MEMBERS {}\n", prefix, network.members.size());
    }
    return text;
}

std::string tables(const std::vector<const CTable*>& list, const std::string& name) {
    std::string text;
    for (const CTable* table : list) {
        const std::string prefix = upper_case(name);
        text += fmt::format("{}static const {} {}_{}[{}{}] {}_FLASH = {{\n{}\n}};\n",
                            text.empty() ? "" : "\n", table->words ? name + "_word" : table->type(),
                            name, table->name, table->values.size(),
                            table->words ? " * " + prefix + "_SPLIT" : "", prefix,
                            table->words ? word_lines(table->values, table->bits / 4, prefix + "_W")
                                         : number_lines(table->values));
    }
    return text;
}

/// Functions that take raw values, with their tables.
std::string raw_code(const packed::Quantiser& quantiser, const std::string& name) {
    if (!quantiser.has_raw()) return "";
    const auto own = raw_tables(quantiser);
    std::vector<const CTable*> list;
    for (const CTable& table : own) list.push_back(&table);
    const std::string text = tables(list, name);
    return '\n' + text + (text.empty() ? "" : "\n") +
           fill_in("c/raw.c", name, raw_values(quantiser, name));
}

std::string avr(const CPlan& plan, const std::string& name) {
    std::string text =
        plan.flash_bytes() > kMaxAvrBytes
            ? "#error \"AVR: the tables are larger than the 32 KiB that 16-bit addresses reach\"\n"
            : fill_in("c/avr.c", name, {});
    text.pop_back();
    return text;
}

/// AVR computes words of 16 bits at most.
constexpr int kMaxAvrBits = 16;

/// The parts of a word, lowest first.
std::string split_word(int bits) {
    if (bits <= kMaxAvrBits) return "(v)";
    return "(uint16_t)(v), (uint16_t)((uint32_t)(v) >> 16)";
}

/// A file of runtime/c, the number of its layer, and the buffer that it writes (side by side) or reads.
struct Piece {
    std::string file;
    std::size_t layer = 1;
    std::size_t buffer = 0;
};

/// Layers side by side write the two buffers in turn; trees stay in theirs.
void add_layers(const CPlan& plan, std::vector<Piece>& result) {
    const std::size_t depth = plan.layers.size();
    if (depth == 1) {
        result.push_back({"c/sums.c"});
        return;
    }
    result.push_back({"c/signs.c"});
    if (plan.layers[1].kind == CKind::kSideBySide) result.push_back({"c/read_signs.c"});
    result.push_back({"c/hidden.c"});
    bool ones = false, counts = false;
    for (std::size_t l = 1, buffer = 0; l < depth; ++l) {
        const CKind kind = plan.layers[l].kind;
        if (kind == CKind::kSideBySide) {
            buffer = 1 - buffer;
            result.push_back({"c/hidden.c", l + 1, buffer});
            continue;
        }
        if (!std::exchange(ones, true)) result.push_back({"c/ones.c"});
        if (kind == CKind::kRows) {
            result.push_back({"c/last_dense.c", l + 1, buffer});
            continue;
        }
        if (!std::exchange(counts, true)) result.push_back({"c/count.c"});
        result.push_back({"c/compare.c", l + 1, buffer});
        result.push_back({l + 1 < depth ? "c/tree.c" : "c/last_tree.c", l + 1, buffer});
    }
}

/// What computes this network, in order.
std::vector<Piece> pieces(const Network& network, const CPlan& plan) {
    const auto type = network.quantiser.type;
    const bool bits = type == packed::ColumnType::kBit || type == packed::ColumnType::kSign;
    std::vector<Piece> result{{"c/work.c"}, {"c/add.c"}, {"c/begin.c"}};
    result.push_back({plan.compares() ? "c/read_comparators.c"
                      : bits          ? "c/read_bits.c"
                                      : "c/read_values.c"});
    add_layers(plan, result);
    const bool two = network.outputs() == 1;
    if (network.members.size() == 1) {
        result.push_back({"c/scores.c"});
    } else if (network.adds_scores) {
        result.push_back({"c/scores_adding.c"});
    } else {
        result.push_back({two ? "c/scores_committee_two.c" : "c/scores_committee.c"});
    }
    result.push_back({two ? "c/decide_two.c" : "c/decide.c"});
    result.push_back({"c/answers.c"});
    return result;
}

std::string comparator(const CPlan& plan, const std::string& name, const std::string& pointer) {
    return fmt::format("({}){}_READ_{}({})", plan.comparators.type(), upper_case(name),
                       plan.comparators.bits, pointer);
}

/// Columns of words: an input is added if the column equals it.
std::string add_words(const CPlan& plan, const std::string& name) {
    return fmt::format(
        "        if ({0}_READ_8(&{1}_words[c]) != 0U) {{\n"
        "            for (k = first; k != end; k++) {{\n"
        "                if (value == {2}) {{\n"
        "                    on = {1}_put(work, work->list[0], on, ({1}_index)(k - {1}_comparators), {3}U, 0);\n"
        "                }}\n"
        "            }}\n"
        "            first = end;\n"
        "            continue;\n"
        "        }}\n",
        upper_case(name), name, comparator(plan, name, "k"), plan.plane);
}

/// Passes over a column that is not an input.
std::string skip(const CPlan& plan, const std::string& name, const std::string& indent) {
    if (plan.used.values.empty()) return "";
    return fmt::format(
        "{0}if ((({1}_READ_8(&{2}_used[c >> 3]) >> (c & 7U)) & 1) == 0) {{\n"
        "{0}    continue;\n{0}}}\n",
        indent, upper_case(name), name);
}

std::string signs(const CPlan& plan, const std::string& name) {
    if (plan.buffers == 0) return "";
    return fmt::format("    {}_word signs[{}][{}_WORDS({}U)]; /* of neurons, lowest bit first */\n",
                       name, plan.buffers, upper_case(name), plan.most_signs);
}

/// Computes what the scores of a member need.
std::string layers_text(const Network& network, const CPlan& plan, const std::string& name) {
    const bool committee = network.members.size() > 1;
    std::string text;
    for (std::size_t l = 1; l <= plan.layers.size(); ++l) {
        const CKind kind = plan.layers[l - 1].kind;
        if (kind == CKind::kRows) continue;
        const bool compares = kind == CKind::kTree && l == plan.layers.size();
        text += fmt::format("{}{}_{}_{}({}&work, {});\n", committee ? "        " : "    ", name,
                            compares ? "compare" : "layer", l, l == 1 ? "x, " : "",
                            committee ? "member" : "0");
    }
    return text;
}

/// Scores of a member are those of its last layer, or rows of a table for all members.
std::string output_text(const CPlan& plan, const std::string& name, bool one) {
    if (plan.layers.back().kind != CKind::kRows) return one ? "0" : "k";
    return one ? "member" : fmt::format("member * {}_OUTPUTS + k", upper_case(name));
}

/// All template values but those that differ from layer to layer.
Values values_of(const Network& network, const CPlan& plan, const std::string& name) {
    const bool words = !plan.words.values.empty();
    const bool negative = packed::range_of(network.quantiser.type).low < 0;
    return {
        {"avr", avr(plan, name)},
        {"bits", std::to_string(plan.bits)},
        {"avr_bits", std::to_string(std::min(plan.bits, kMaxAvrBits))},
        {"split", std::to_string(plan.bits / std::min(plan.bits, kMaxAvrBits))},
        {"split_word", split_word(plan.bits)},
        {"sizes", sizes(network, plan, upper_case(name))},
        {"index_type", plan.largest_index <= 65535 ? "uint_fast16_t" : "uint_fast32_t"},
        {"sum_type", network.largest_score() <= 32767 ? "int_fast16_t" : "int_fast32_t"},
        {"entry_type", fmt::format("uint{}_t", plan.entry_bits)},
        {"tables", tables(plan.tables(), name)},
        {"signs", signs(plan, name)},
        {"plane", fmt::format("{}U", plan.plane)},
        {"negative", negative ? ", first those above 0, then those below, flipped" : ""},
        {"value", negative ? "(flip == 0U) ? x[c] : -(int32_t)x[c]" : "x[c]"},
        {"do", negative ? "do " : ""},
        {"while",
         negative ? fmt::format("        flip = ({}_word)~flip;\n    }} while (flip != 0U);", name)
                  : "    }"},
        {"skip", skip(plan, name, std::string(8, ' '))},
        {"skip_deeper", skip(plan, name, std::string(12, ' '))},
        {"count_bits", std::to_string(plan.counts.bits)},
        {"rest_bits", std::to_string(plan.rests.bits)},
        {"comparator_type", plan.compares() ? plan.comparators.type() : ""},
        {"comparator", plan.compares() ? comparator(plan, name, "k") : ""},
        {"comparator_below", plan.compares() ? comparator(plan, name, "k - 1") : ""},
        {"words", words ? add_words(plan, name) : ""},
        {"layers", layers_text(network, plan, name)},
        {"output", output_text(plan, name, network.outputs() == 1)},
        {"output_k", output_text(plan, name, false)}};
}

/// The values of one piece.
void set_piece(const CPlan& plan, const Piece& piece, const std::string& name, Values& values) {
    const bool first = piece.layer == 1;
    values["layer"] = std::to_string(piece.layer);
    values["below"] = std::to_string(piece.layer - 1);
    values["buffer"] = std::to_string(piece.buffer);
    values["x"] = first ? fmt::format("const {}_column *x, ", name) : "";
    values["read"] =
        first ? fmt::format("{}_read(x, work)", name)
              : fmt::format("{}_read_signs(work->signs[{}], work)", name, 1 - piece.buffer);
    const bool read_as_words =
        piece.layer < plan.layers.size() && plan.layers[piece.layer].kind != CKind::kTree;
    values["mask"] = read_as_words ? fill_in("c/mask.c", name, values) : "";
}

std::string code(const Network& network, const COptions& options) {
    const CPlan plan(network);
    Values values = values_of(network, plan, options.name);
    values["include"] =
        options.single_header ? "" : fmt::format("#include \"{}.h\"\n", options.name);
    std::string text = fill_in("c/network.c", options.name, values);
    for (const Piece& piece : pieces(network, plan)) {
        set_piece(plan, piece, options.name, values);
        text += '\n' + fill_in(piece.file, options.name, values);
    }
    return text + raw_code(network.quantiser, options.name);
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
