#include "emit/c_raw.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "emit/names.hpp"

namespace bitbayes::emit {
namespace {

using packed::ColumnType;
using packed::Quantiser;
using Numbers = std::vector<std::int64_t>;

bool all_equal(const Numbers& values) {
    return std::adjacent_find(values.begin(), values.end(), std::not_equal_to<>()) == values.end();
}

Numbers origins_of(const Quantiser& quantiser) {
    Numbers result;
    for (std::size_t j = 0; j < quantiser.columns(); ++j) {
        result.push_back(quantiser.raw_origin(j));
    }
    return result;
}

bool limited(const Quantiser& quantiser) { return !quantiser.low.empty(); }

/// An element of the table of that name, for column c, or the value that all of them have.
std::string element(const std::vector<CTable>& tables, const std::string& wanted,
                    std::int64_t otherwise, const std::string& name) {
    const auto found = std::find_if(tables.begin(), tables.end(),
                                    [&](const CTable& table) { return table.name == wanted; });
    if (found == tables.end()) return std::to_string(otherwise);
    return fmt::format("({}){}_READ_{}(&{}_{}[c])", found->type(), upper_case(name), found->bits,
                       name, wanted);
}

std::string conversion(const Quantiser& quantiser, const std::string& origin,
                       const std::string& name) {
    const auto [low, high] = packed::range_of(quantiser.type);
    if (quantiser.type == ColumnType::kSign) {
        return fmt::format("        x[c] = ({}_column)((raw[c] >= {}) ? 1 : -1);\n", name, origin);
    }
    if (origin == "0") {
        return fmt::format(
            "        x[c] = ({0}_column)((raw[c] < {1}) ? {1} : (raw[c] > {2}) ? {2} : raw[c]);\n",
            name, low, high);
    }
    return fmt::format(
        "        {{\n            const int32_t origin = {3};\n"
        "            x[c] = ({0}_column)((raw[c] < origin + ({1})) ? {1} : (raw[c] > origin + {2}) "
        "? "
        "{2} : raw[c] - origin);\n        }}\n",
        name, low, high, origin);
}

/// "column 3" and its scale, or one scale for all.
std::string scales_text(const packed::Network& network) {
    const Quantiser& quantiser = network.quantiser;
    Numbers scales;
    std::vector<std::uint32_t> columns = network.column;
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    for (const auto j : columns) scales.push_back(quantiser.scale_bits(j));
    if (scales.empty() || all_equal(scales)) {
        const std::int64_t bits = scales.empty() ? 0 : scales[0];
        if (bits == 0) return "Each is the value itself, a whole number.\n";
        return fmt::format("Each is the value times 2^{}, rounded with halves up.\n", bits);
    }
    std::string text =
        "Each is the value times 2^bits, rounded with halves up:\n\n| column | bits |\n| ---: | "
        "---: "
        "|\n";
    for (std::size_t k = 0; k < columns.size(); ++k) {
        text += fmt::format("| {} | {} |\n", columns[k], scales[k]);
    }
    return text;
}

}  // namespace

std::vector<CTable> raw_tables(const Quantiser& quantiser) {
    std::vector<CTable> result;
    if (!quantiser.has_raw()) return result;
    const auto add = [&](const char* name, Numbers values) {
        result.push_back(fitting_table(name, std::move(values), true));
    };
    if (Numbers origins = origins_of(quantiser); !all_equal(origins)) {
        add("origins", std::move(origins));
    }
    if (Numbers missing(quantiser.missing.begin(), quantiser.missing.end()); !all_equal(missing)) {
        add("missing", std::move(missing));
    }
    if (!limited(quantiser)) return result;
    add("lowest", {quantiser.low.begin(), quantiser.low.end()});
    add("highest", {quantiser.high.begin(), quantiser.high.end()});
    return result;
}

std::map<std::string, std::string> raw_values(const Quantiser& quantiser, const std::string& name) {
    const auto tables = raw_tables(quantiser);
    const auto part = [&](const char* wanted, std::int64_t otherwise) {
        return element(tables, wanted, otherwise, name);
    };
    const std::string outside =
        limited(quantiser)
            ? fmt::format("        outside += (raw[c] < {} || raw[c] > {}) ? 1 : 0;\n",
                          part("lowest", 0), part("highest", 0))
            : "";
    return {{"missing", fmt::format("({}_column){}", name, part("missing", quantiser.missing[0]))},
            {"outside", outside},
            {"convert", conversion(quantiser, part("origins", quantiser.raw_origin(0)), name)}};
}

std::string raw_text(const packed::Network& network, const std::string& name) {
    const Quantiser& quantiser = network.quantiser;
    if (!quantiser.has_raw()) return "";
    return fmt::format(
               "\nOr leave that to `{0}_predict_raw(raw)` and `{0}_classify_raw(raw, &answer)`, "
               "which "
               "take {1}_COLUMNS values of type int32_t, {1}_MISSING for one that is missing. {2}",
               name, upper_case(name), scales_text(network)) +
           (limited(quantiser)
                ? "A value that lies further beyond those of the training than they span makes the "
                  "answer \"don't know\".\n"
                : "");
}

}  // namespace bitbayes::emit
