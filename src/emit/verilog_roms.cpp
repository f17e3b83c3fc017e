#include "emit/verilog_roms.hpp"

#include <algorithm>
#include <numeric>

namespace bitbayes::emit {
namespace {

using packed::Layer;
using packed::Network;

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

std::int64_t first_number(const Network& network, NeuronPlace place) {
    const Layer& layer = network.members[place.member][place.l];
    const bool signs = place.l > 0 || has_sign_inputs(network);
    std::int64_t sum = layer.threshold.empty() ? 0 : layer.threshold[place.i];
    for (std::size_t k = 0; signs && k < layer.fan_in; ++k) sum += layer.weight(place.i, k);
    return -sum;
}

FoldedSizes::FoldedSizes(const Network& network, std::size_t parallel)
    : dense(dense_layers(network)), inputs(network.inputs()) {
    const auto& layers = network.members[0];
    std::size_t most_neurons = 0, most_inputs = 0;
    threshold_width = 1;
    sum_width = 0;
    for (std::size_t l = 0; l < dense; ++l) {
        most_neurons = std::max(most_neurons, layers[l].neurons);
        most_inputs = std::max(most_inputs, layers[l].fan_in);
        sum_width = std::max(sum_width, signed_width(largest_sum(network, l)));
        for (std::size_t m = 0; m < network.members.size(); ++m) {
            for (std::size_t i = 0; i < layers[l].neurons; ++i) {
                const auto first = first_number(network, {m, l, i});
                threshold_width =
                    std::max(threshold_width, signed_width(first < 0 ? ~first : first));
            }
        }
    }
    value_width = network.comparator.empty() ? column_format(network.quantiser.type).width : 1;
    sum_width = std::max({sum_width, value_width + 1, threshold_width});
    const bool trees = dense < layers.size();
    lane_width = trees ? 1 : sum_width;
    out_lanes = 1;
    if (dense == 1) {
        lanes = std::min(parallel, layers[0].neurons * network.members.size());
        if (trees) out_lanes = lanes_per_clock(lanes, layers[1].fan_in, threshold_width + 2);
        count_width = unsigned_width(inputs);
        word_width = unsigned_width(inputs + threshold_width - 1);
    } else {
        lanes = std::min(parallel, most_neurons);
        if (!trees) lane_width = signed_width(largest_sum(network, dense - 1));
        count_width = word_width = unsigned_width(most_inputs);
    }
}

Groups FoldedSizes::groups(std::size_t neurons) const {
    const std::size_t count = (neurons + lanes - 1) / lanes;
    return {count, neurons - (count - 1) * lanes};
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
    const std::size_t groups = sizes.groups(neurons * network.members.size()).count;
    const std::size_t group_words = sizes.inputs + sizes.threshold_width;
    std::vector<Bits> words(groups * group_words);
    for (std::size_t n = 0; n < groups * sizes.lanes; ++n) {
        const bool there = n / neurons < network.members.size();
        const Layer& layer = network.members[there ? n / neurons : 0][0];
        const std::size_t i = n % neurons;
        const auto group = std::span(words).subspan(n / sizes.lanes * group_words, group_words);
        for (std::size_t k = 0; k < sizes.inputs; ++k) {
            group[k].add(there && layer.weight(i, k) > 0);
        }
        const auto first = there ? first_number(network, {n / neurons, 0, i}) : 0;
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
