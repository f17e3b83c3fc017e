#include "packed_report.hpp"

#include <fmt/format.h>

#include <cmath>

#include "terminal/report.hpp"

namespace bitbayes::cli {

namespace {

constexpr std::size_t kThresholdBits = 32;

std::size_t threshold_bits(const packed::Network& network) {
    std::size_t thresholds = 0;
    for (const packed::Layer& layer : network.members.front()) {
        thresholds += layer.threshold.size();
    }
    return kThresholdBits * thresholds * network.members.size();
}

std::string columns_text(const packed::Network& network) {
    std::size_t used = 0;
    for (std::size_t k = 0; k < network.inputs(); ++k) {
        used += k == 0 || network.column[k] != network.column[k - 1];
    }
    const std::size_t columns = network.quantiser.columns();
    std::string text = fmt::format("{} of type {}", columns, name_of(network.quantiser.type));
    if (!network.quantiser.step.empty()) text += ", quantised";
    if (used < columns) text += fmt::format(", {} of them constant and left out", columns - used);
    return text;
}

Json committee_json(const packed::Network& network) {
    if (network.members.size() == 1) return {};
    return network.adds_scores ? "adds" : "votes";
}

}  // namespace

std::string architecture_text(const packed::Network& network) {
    learn::Architecture shape{network.inputs(), {}};
    for (const packed::Layer& layer : network.members.front()) {
        shape.layers.push_back(
            {layer.neurons, layer.fan_in,
             layer.reads_all ? learn::Connectivity::kDense : learn::Connectivity::kTree});
    }
    return architecture_text(shape);
}

Json packed_json(const packed::Network& network) {
    Json object{{"architecture", architecture_text(network)},
                {"features", network.features()},
                {"inputs", network.inputs()},
                {"classes", network.class_names.size()},
                {"class_names", network.class_names},
                {"column_type", name_of(network.quantiser.type)},
                {"quantised", !network.quantiser.step.empty()},
                {"comparators", network.comparator.size()},
                {"members", network.members.size()},
                {"committee", committee_json(network)},
                {"weights", network.weights()},
                {"bits", {{"weights", network.weights()}, {"thresholds", threshold_bits(network)}}},
                {"abstain_below", network.abstain_below},
                {"samples_seen", network.samples_seen},
                {"seed", network.seed}};
    object["layers"] = Json::array();
    for (const packed::Layer& layer : network.members.front()) {
        object["layers"].push_back({{"neurons", layer.neurons},
                                    {"fan_in", layer.fan_in},
                                    {"connectivity", layer.reads_all ? "dense" : "tree"},
                                    {"weights", layer.neurons * layer.fan_in}});
    }
    return object;
}

std::string packed_table(const packed::Network& network) {
    std::string table = table_row("network", architecture_text(network));
    if (network.members.size() > 1) {
        table += table_row("members", fmt::format("{}, which {}", network.members.size(),
                                                  network.adds_scores ? "add scores" : "vote"));
    }
    table += table_row("columns", columns_text(network));
    table +=
        table_row("inputs", network.comparator.empty()
                                ? std::to_string(network.inputs())
                                : fmt::format("{} comparators, one bit each", network.inputs()));
    table += table_row("classes", fmt::format("{}: {}", network.class_names.size(),
                                              names_text(network.class_names)));
    table += table_row("bits", fmt::format("{} weights, {} thresholds", network.weights(),
                                           threshold_bits(network)));
    if (network.abstain_below > 0) {
        table += table_row("don't know", fmt::format("margin below {}", network.abstain_below));
    }
    table += table_row("samples seen", std::to_string(network.samples_seen));
    return table + table_row("seed", std::to_string(network.seed));
}

Json evaluation_json(const PackedEvaluation& evaluation) {
    const auto number = [](double value) { return std::isnan(value) ? Json() : Json(value); };
    return {{"error_map", number(evaluation.error_map)},
            {"validity", number(evaluation.legal)},
            {"abstained", number(evaluation.abstained)},
            {"error_accepted", number(evaluation.error_accepted)},
            {"outside", evaluation.outside}};
}

void note_outside(const Common& common, std::size_t rows) {
    if (rows == 0) return;
    note(common, fmt::format("{} row{} with a value far beyond those of training: don't know", rows,
                             rows == 1 ? "" : "s"));
}

std::string evaluation_table(const PackedEvaluation& evaluation, const packed::Network& network) {
    const bool committee = network.members.size() > 1;
    std::string table =
        table_row(committee ? "error, committee" : "error, MAP", percent(evaluation.error_map)) +
        table_row("legal", validity_text(evaluation.legal, network.class_names.size()));
    if (network.abstain_below > 0 || evaluation.outside > 0) {
        table += table_row("don't know", percent(evaluation.abstained)) +
                 table_row("error of the rest", percent(evaluation.error_accepted));
    }
    return table + table_row("rows", std::to_string(evaluation.rows));
}

}  // namespace bitbayes::cli
