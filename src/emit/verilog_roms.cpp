#include "emit/verilog_roms.hpp"

#include <algorithm>
#include <numeric>

namespace bitbayes::emit {
namespace {

using packed::Layer;
using packed::Network;

/// The number that a neuron of layer 1 starts from. Inputs x = 2b - 1 are added as 2b where b = 1
/// and not at all where b = 0; the missing -sum_k W_k is part of the start.
std::int64_t first_number(const Network& network, const Layer& layer, std::size_t i) {
    std::int64_t sum = layer.threshold.empty() ? 0 : layer.threshold[i];
    if (has_sign_inputs(network)) {
        for (std::size_t k = 0; k < layer.fan_in; ++k) sum += layer.weight(i, k);
    }
    return -sum;
}

/// Lanes that leave layer 1 per clock: a divisor of its lanes and of the fan-in of layer 2, the
/// smallest with which all leave within the shortest time of a group.
std::size_t lanes_per_clock(std::size_t lanes, std::size_t fan_in, std::size_t shortest) {
    const std::size_t both = std::gcd(lanes, fan_in);
    for (std::size_t out = 1; out < both; ++out) {
        if (both % out == 0 && lanes / out + 4 <= shortest) return out;
    }
    return both;
}

}  // namespace

FoldedSizes::FoldedSizes(const Network& network, std::size_t parallel) {
    const Layer& layer = network.members[0][0];
    const std::size_t neurons = layer.neurons * network.members.size();
    lanes = std::min(parallel, neurons);
    groups = (neurons + lanes - 1) / lanes;
    inputs = network.inputs();
    threshold_width = 1;
    for (const auto& layers : network.members) {
        for (std::size_t i = 0; i < layer.neurons; ++i) {
            const std::int64_t first = first_number(network, layers[0], i);
            threshold_width = std::max(threshold_width, signed_width(first < 0 ? ~first : first));
        }
    }
    value_width = network.comparator.empty() ? column_format(network.quantiser.type).width : 1;
    sum_width = std::max({signed_width(network.largest_sum()), value_width + 1, threshold_width});
    const bool deep = network.members[0].size() > 1;
    out_lanes =
        deep ? lanes_per_clock(lanes, network.members[0][1].fan_in, threshold_width + 2) : 1;
    batches = lanes / out_lanes;
    last_batches = (neurons - (groups - 1) * lanes) / out_lanes;
}

std::vector<Bits> step_words(const Network& network) {
    const bool compares = !network.comparator.empty();
    const std::size_t width = column_format(network.quantiser.type).width;
    std::vector<Bits> words;
    std::size_t k = 0;
    for (std::size_t j = 0; j < network.quantiser.columns(); ++j) {
        const auto reads = [&](std::size_t input) {
            return input < network.inputs() && network.column[input] == j;
        };
        do {
            const bool is_input = reads(k);
            Bits word;
            if (compares) {
                const int limit = is_input ? network.comparator[k] : 0;
                word.add(travelling_comparator(network.quantiser.type, limit), width + 1);
                if (!network.table.categories.empty()) {
                    word.add(is_input && network.asks_for_word(k));
                }
                word.add(!is_input || !reads(k + 1));
            }
            word.add(is_input);
            words.push_back(word);
            k += is_input ? 1 : 0;
        } while (compares && reads(k));
    }
    return words;
}

std::vector<Bits> weight_words(const Network& network, const FoldedSizes& sizes) {
    const std::size_t neurons = network.members[0][0].neurons;
    const std::size_t group_words = sizes.inputs + sizes.threshold_width;
    std::vector<Bits> words(sizes.groups * group_words);
    for (std::size_t n = 0; n < sizes.groups * sizes.lanes; ++n) {
        const bool there = n / neurons < network.members.size();
        const Layer& layer = network.members[there ? n / neurons : 0][0];
        const std::size_t i = n % neurons;
        const auto group = std::span(words).subspan(n / sizes.lanes * group_words, group_words);
        for (std::size_t k = 0; k < sizes.inputs; ++k) {
            group[k].add(there && layer.weight(i, k) > 0);
        }
        const std::int64_t first = there ? first_number(network, layer, i) : 0;
        for (std::size_t b = 0; b < sizes.threshold_width; ++b) {
            group[sizes.inputs + b].add((first >> b & 1) != 0);
        }
    }
    return words;
}

std::vector<Bits> tree_words(const Network& network, std::size_t l, std::size_t lanes) {
    std::vector<Bits> words;
    for (const auto& layers : network.members) {
        for (std::size_t i = 0; i < layers[l].neurons; ++i) {
            for (std::size_t j = 0; j < layers[l].fan_in; ++j) {
                if (j % lanes == 0) words.emplace_back();
                words.back().add(layers[l].weight(i, j) > 0);
            }
        }
    }
    return words;
}

}  // namespace bitbayes::emit
