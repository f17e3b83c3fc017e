#include "emit/verilog_dense.hpp"

#include <algorithm>

namespace bitbayes::emit {
namespace {

using packed::Layer;
using packed::Network;

void add_layer(const Network& network, const FoldedSizes& sizes, NeuronPlace place,
               std::vector<Bits>& words) {
    const Layer& layer = network.members[place.member][place.l];
    const std::size_t begin = words.size();
    const std::size_t group_words = sizes.threshold_width + layer.fan_in;
    const std::size_t groups = sizes.groups(layer.neurons).count;
    words.resize(begin + groups * group_words);
    for (place.i = 0; place.i < groups * sizes.lanes; ++place.i) {
        const bool there = place.i < layer.neurons;
        Bits* word = &words[begin + place.i / sizes.lanes * group_words];
        const std::int64_t first = there ? first_number(network, place) : 0;
        for (std::size_t b = 0; b < sizes.threshold_width; ++b) {
            (word++)->add((first >> b & 1) != 0);
        }
        for (std::size_t k = 0; k < layer.fan_in; ++k) {
            (word++)->add(there && layer.weight(place.i, k) > 0);
        }
    }
}

}  // namespace

std::vector<Bits> dense_words(const Network& network, const FoldedSizes& sizes) {
    std::vector<Bits> words;
    for (std::size_t m = 0; m < network.members.size(); ++m) {
        for (std::size_t l = 0; l < sizes.dense; ++l) add_layer(network, sizes, {m, l, 0}, words);
    }
    return words;
}

Pairs dense_parameters(const Network& network, const FoldedSizes& sizes, std::size_t words) {
    std::vector<std::size_t> neurons{sizes.inputs};
    for (std::size_t l = 0; l < sizes.dense; ++l) {
        neurons.push_back(network.members[0][l].neurons);
    }
    const std::size_t most = *std::max_element(neurons.begin(), neurons.end());
    const std::size_t stored = *std::max_element(neurons.begin() + 1, neurons.end() - 1);
    const std::size_t members = network.members.size();
    const std::size_t address_width = unsigned_width(words - 1);
    const std::size_t width = std::max(address_width, unsigned_width(most));
    Bits list;
    for (const std::size_t size : neurons) list.add(static_cast<std::int64_t>(size), width);
    list.add(0, width);
    return {{"LANES", std::to_string(sizes.lanes)},
            {"LAYERS", std::to_string(sizes.dense)},
            {"MEMBERS", std::to_string(members)},
            {"MEMBER_WIDTH", std::to_string(unsigned_width(members - 1))},
            {"ADDRESS_WIDTH", std::to_string(address_width)},
            {"SIZE_WIDTH", std::to_string(width)},
            {"SIZES", list.literal()},
            {"ENTRY_WIDTH", std::to_string(unsigned_width(sizes.inputs - 1))},
            {"INDEX_WIDTH", std::to_string(sizes.word_width)},
            {"STORE_WIDTH", std::to_string(unsigned_width(stored - 1))},
            {"VALUE_WIDTH", std::to_string(sizes.value_width)},
            {"VALUE_SIGNED", has_signed_values(network) ? "1" : "0"},
            {"SHIFT", has_sign_inputs(network) ? "1" : "0"},
            {"THRESHOLD_WIDTH", std::to_string(sizes.threshold_width)},
            {"SUM_WIDTH", std::to_string(sizes.sum_width)},
            {"LANE_WIDTH", std::to_string(sizes.lane_width)},
            {"WORDS", std::to_string(words)}};
}

}  // namespace bitbayes::emit
