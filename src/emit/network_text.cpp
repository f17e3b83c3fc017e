#include "emit/network_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "emit/c_text.hpp"

namespace bitbayes::emit {
namespace {

using packed::ColumnType;
using packed::Network;
using packed::Quantiser;

template <class Vector>
bool all_equal(const Vector& values) {
    return std::adjacent_find(values.begin(), values.end(), std::not_equal_to<>()) == values.end();
}

/// "3, 7-9": columns that are not inputs.
std::string unread_columns(const Network& network) {
    std::vector<bool> read(network.quantiser.columns());
    for (const auto column : network.column) read[column] = true;
    std::string text;
    for (std::size_t j = 0; j < read.size(); ++j) {
        if (read[j]) continue;
        const std::size_t first = j;
        while (j + 1 < read.size() && !read[j + 1]) ++j;
        text += fmt::format("{}{}", text.empty() ? "" : ", ", first);
        if (j > first) text += fmt::format("-{}", j);
    }
    return text;
}

/// A name as code in a cell of a Markdown table.
std::string cell_text(const std::string& name) {
    std::string text = "`";
    for (const char c : c_string(name)) text += c == '|' ? "\\|" : std::string(1, c);
    return text + '`';
}

std::string scale_text(const Network& network) {
    const Quantiser& quantiser = network.quantiser;
    if (quantiser.step.empty()) return "";
    if (all_equal(quantiser.origin) && all_equal(quantiser.step)) {
        return fmt::format("\norigin = {}, step = {}.\n", quantiser.origin[0], quantiser.step[0]);
    }
    std::string text = "\n| column | origin | step |\n| ---: | ---: | ---: |\n";
    std::vector<std::uint32_t> columns = network.column;
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    for (const auto j : columns) {
        text += fmt::format("| {} | {} | {} |\n", j, quantiser.origin[j], quantiser.step[j]);
    }
    return text;
}

/// Names of the columns and codes of words.
std::string names_text(const TableColumns& table) {
    if (table.names.empty() && table.categories.empty()) return "";
    std::string text = "\n| column | name | values |\n| ---: | --- | --- |\n";
    for (std::size_t j = 0; j < table.features; ++j) {
        text +=
            fmt::format("| {} | {} | ", j, table.names.empty() ? "" : cell_text(table.names[j]));
        for (std::size_t k = 0; table.categorical(j) && k < table.categories[j].size(); ++k) {
            text +=
                fmt::format("{}{} = {}", k == 0 ? "" : ", ", k, cell_text(table.categories[j][k]));
        }
        text += table.categorical(j) ? " |\n" : "numbers |\n";
    }
    return text;
}

}  // namespace

std::string network_text(const Network& network) {
    const auto& layers = network.members[0];
    std::string text =
        fmt::format("{} columns, {} inputs", network.quantiser.columns(), network.inputs());
    for (std::size_t l = 0; l < layers.size(); ++l) {
        text += fmt::format(", layer {}: {} neuron{} of fan-in {}", l + 1, layers[l].neurons,
                            layers[l].neurons == 1 ? "" : "s", layers[l].fan_in);
        if (l > 0 && layers[l].reads_all) text += " and a constant";
    }
    text += fmt::format("; {} weights", network.weights());
    if (network.members.size() > 1) {
        text += fmt::format(" in a committee of {} such networks, which {}", network.members.size(),
                            network.adds_scores ? "add scores" : "vote");
    }
    text += ".\n\nClasses, from 0:";
    for (const auto& name : network.class_names) {
        text += (&name == network.class_names.data() ? " `" : ", `") + c_string(name) + '`';
    }
    return text + ".\n";
}

std::string value_formula(const Quantiser& quantiser) {
    const auto [low, high] = packed::range_of(quantiser.type);
    const bool scaled = !quantiser.step.empty();
    const std::string q = scaled ? "(value - origin) / step" : "value";
    if (quantiser.binary) {
        return fmt::format("round(value / step) - origin / step, halves up, saturated to {} .. {}",
                           low, high);
    }
    if (quantiser.type == ColumnType::kSign) return fmt::format("+1 if {} >= 0, else -1", q);
    return fmt::format("round({}), halves away from 0, saturated to {} .. {}", q, low, high);
}

std::string columns_text(const Network& network) {
    std::string text;
    if (network.sparse) text += "\nThe value of a column that a sparse row does not name is 0.\n";
    if (network.source) {
        const auto& source = network.source->column;
        text += fmt::format(
            "\nThe network has only those of the table's {} columns that varied in training. Its "
            "columns are, counted from 0 in the table:\n\n",
            network.source->features);
        text += number_lines(std::vector<std::int64_t>(source.begin(), source.end())) + '\n';
    }
    const std::string unread = unread_columns(network);
    if (!unread.empty()) text += fmt::format("\nNot read, constant in training: {}.\n", unread);
    return text + names_text(network.table) + scale_text(network);
}

std::string missing_text(const Quantiser& quantiser) {
    if (all_equal(quantiser.missing)) {
        return fmt::format("A missing value is {} in every column.\n", quantiser.missing[0]);
    }
    const std::vector<std::int64_t> values(quantiser.missing.begin(), quantiser.missing.end());
    return "What stands for a missing value, column by column:\n\n" + number_lines(values) + '\n';
}

}  // namespace bitbayes::emit
