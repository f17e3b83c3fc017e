#include "packed/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <tuple>

#include "container/encoding.hpp"
#include "container/table_columns.hpp"

namespace bitbayes::packed {
namespace {

bool steps_are_binary(const Quantiser& quantiser) {
    bool fits = !quantiser.step.empty();
    for (std::size_t j = 0; fits && j < quantiser.step.size(); ++j) {
        int exponent = 0;
        fits = std::frexp(quantiser.step[j], &exponent) == 0.5 &&
               std::fmod(quantiser.origin[j], quantiser.step[j]) == 0;
    }
    return fits;
}

bool ranges_fit(const Quantiser& quantiser) {
    const auto& [low, high] = std::tie(quantiser.low, quantiser.high);
    bool fits = low.size() == high.size() && (low.empty() || low.size() == quantiser.columns()) &&
                (low.empty() || quantiser.has_raw());
    for (std::size_t j = 0; fits && j < low.size(); ++j) fits = low[j] <= high[j];
    return fits;
}

std::string in_quantiser(const Network& network) {
    const Quantiser& quantiser = network.quantiser;
    const auto& step = quantiser.step;
    if (quantiser.origin.size() != step.size() ||
        (!step.empty() && step.size() != quantiser.columns())) {
        return "the quantisers do not fit the columns";
    }
    if (!std::all_of(quantiser.origin.begin(), quantiser.origin.end(),
                     [](double x) { return std::isfinite(x); })) {
        return "tensor columns.origin holds a value that is not finite";
    }
    if (!std::all_of(step.begin(), step.end(),
                     [](double x) { return std::isfinite(x) && x > 0; })) {
        return "a step must be positive";
    }
    if (quantiser.binary && !steps_are_binary(quantiser)) {
        return "steps that are not powers of two, or origins that are not multiples of them";
    }
    if (!ranges_fit(quantiser)) return "the ranges do not fit the columns";
    const auto [low, high] = range_of(quantiser.type);
    const auto [least, most] =
        std::minmax_element(quantiser.missing.begin(), quantiser.missing.end());
    const bool within = quantiser.missing.empty() || (*least >= low && *most <= high);
    return within ? "" : "a missing value beyond its type";
}

std::string in_inputs(const Network& network) {
    const auto& column = network.column;
    if (column.empty() || column.back() >= network.quantiser.columns()) {
        return "an input of a column that is not there";
    }
    const bool comparators = !network.comparator.empty();
    if (comparators && network.comparator.size() != column.size()) {
        return "comparators do not fit the inputs";
    }
    for (std::size_t k = 1; k < column.size(); ++k) {
        if (comparators ? column[k - 1] > column[k] : column[k - 1] >= column[k]) {
            return "the columns of the inputs are not ascending";
        }
    }
    const bool plain = !comparators && network.quantiser.type != ColumnType::kSign;
    return !network.sparse || plain ? "" : "sparse rows need columns where 0 means nothing";
}

/// Every column that is kept is an input.
std::string in_source(const Network& network) {
    if (!network.source) return "";
    const bool fits = network.sparse && network.column.size() == network.quantiser.columns() &&
                      network.source->column.size() == network.column.size();
    if (!fits) return "the columns do not fit the inputs";
    return container::problem_of_kept(network.source->column, network.source->features,
                                      "inputs.column");
}

/// Above layer 1 they are weights of the constant input.
bool thresholds_are_signs(const Layer& layer) {
    return std::all_of(layer.threshold.begin(), layer.threshold.end(),
                       [](std::int64_t t) { return t == -1 || t == 1; });
}

bool bits_beyond_rows(const Layer& layer) {
    if (layer.fan_in % 64 == 0) return false;
    for (std::size_t i = 0; i < layer.neurons; ++i) {
        if (layer.row(i).back() >> (layer.fan_in % 64) != 0) return true;
    }
    return false;
}

std::string in_member(const Network& network, std::size_t m) {
    const auto &layers = network.members[m], &first = network.members.front();
    if (layers.empty() || layers.size() != first.size()) return "a member without its layers";
    std::size_t below = network.inputs();
    for (std::size_t l = 0; l < layers.size(); ++l) {
        const Layer& layer = layers[l];
        if (l == 0 && !layer.reads_all) return "the first layer must be dense";
        if (!fits(layer, below)) return "a layer does not fit the one below";
        const std::string tensor = fmt::format("tensor member{}.layer{}.", m, l + 1);
        if (layer.neurons != first[l].neurons || layer.fan_in != first[l].fan_in ||
            layer.reads_all != first[l].reads_all ||
            layer.bits.size() != layer.neurons * layer.row_words()) {
            return tensor + "bits has another shape than that of member 0";
        }
        if (bits_beyond_rows(layer)) return tensor + "bits has bits beyond its rows";
        if (layer.threshold.size() != (layer.reads_all ? layer.neurons : 0)) {
            return tensor + "threshold does not fit the neurons";
        }
        if (l > 0 && !thresholds_are_signs(layer)) {
            return tensor + "threshold holds numbers other than -1 and +1";
        }
        below = layer.neurons;
    }
    return "";
}

std::string in_members(const Network& network) {
    if (network.members.empty()) return "members must be 1 or more";
    for (std::size_t m = 0; m < network.members.size(); ++m) {
        if (std::string problem = in_member(network, m); !problem.empty()) return problem;
    }
    if (network.adds_scores && network.members.size() == 1) {
        return "one member has nothing to add to";
    }
    const bool in_range = std::max(network.largest_sum(), network.largest_score()) <=
                          std::numeric_limits<std::int32_t>::max();
    return in_range ? "" : std::string(kLargeSums);
}

std::string in_answers(const Network& network) {
    const std::size_t classes = network.class_names.size();
    if (std::string problem = container::problem_of_classes(network.class_names);
        !problem.empty()) {
        return problem;
    }
    if (network.outputs() != (classes == 2 ? 1 : classes)) {
        return "the number of classes does not fit the outputs";
    }
    return network.abstain_below >= 0 ? "" : "abstain_below must not be negative";
}

std::string in_table(const Network& network) {
    const bool words = !network.table.categories.empty();
    if (words && (network.comparator.empty() || network.quantiser.type == ColumnType::kSign)) {
        return "columns of words need comparators";
    }
    return container::problem_of(network.table, network.features());
}

}  // namespace

bool fits(const Layer& layer, std::size_t below) {
    if (layer.neurons == 0 || layer.fan_in == 0) return false;
    if (layer.reads_all) return layer.fan_in == below;
    return below / layer.fan_in == layer.neurons && below % layer.fan_in == 0;
}

std::string problem_of(const Network& network) {
    constexpr std::array kQuestions{in_quantiser, in_inputs,  in_source,
                                    in_members,   in_answers, in_table};
    for (const auto question : kQuestions) {
        if (std::string problem = question(network); !problem.empty()) return problem;
    }
    return "";
}

}  // namespace bitbayes::packed
