#include "learn/architecture.hpp"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <numeric>

#include "bitbayes/types/error.hpp"

namespace bitbayes::learn {

std::size_t Architecture::weights() const {
    return std::accumulate(
        layers.begin(), layers.end(), std::size_t{0},
        [](std::size_t sum, const LayerShape& layer) { return sum + layer.weights(); });
}

bool Architecture::is_whole() const {
    std::size_t below = inputs;  // what a dense layer reads
    bool trees = false;          // further layers must be trees
    for (std::size_t l = 0; l < layers.size(); ++l) {
        const LayerShape& layer = layers[l];
        const bool dense = layer.connectivity == Connectivity::kDense;
        trees = trees || !dense;
        const bool fits = dense ? !trees && layer.fan_in == below
                                : l > 0 && layer.weights() == layers[l - 1].neurons;
        if (!fits || layer.neurons == 0 || layer.fan_in == 0) return false;
        below = layer.neurons + 1;
    }
    return !layers.empty();
}

bool Architecture::is_tree() const {
    return is_whole() && std::all_of(layers.begin() + 1, layers.end(), [](const LayerShape& layer) {
               return layer.connectivity == Connectivity::kTree;
           });
}

std::size_t Architecture::shared_layers() const {
    std::size_t l = layers.size() - 1;
    while (l > 0 && layers[l].connectivity == Connectivity::kTree) --l;
    return l;
}

std::size_t Architecture::neurons_per_tree(std::size_t l) const {
    assert(is_tree());
    std::size_t neurons = 1;
    for (std::size_t above = layers.size() - 1; above > l; --above) neurons *= layers[above].fan_in;
    return neurons;
}

std::size_t Architecture::weights_per_tree() const {
    std::size_t sum = 0;
    for (std::size_t l = 0; l < layers.size(); ++l) sum += neurons_per_tree(l) * layers[l].fan_in;
    return sum;
}

Architecture Architecture::part(TreeRange trees) const {
    Architecture result = *this;
    for (std::size_t l = 0; l < layers.size(); ++l) {
        result.layers[l].neurons = trees.count * neurons_per_tree(l);
    }
    return result;
}

namespace {

constexpr std::uint64_t kMaxWeights = std::uint64_t{1} << 40;

[[noreturn]] void too_large() {
    throw Error(ErrorCode::kUsage, "the network would have more than 2^40 weights",
                "smaller numbers in `tree` or `dense`");
}

std::size_t product(std::size_t a, std::size_t b) {
    if (a == 0 || b == 0) throw Error(ErrorCode::kUsage, "a layer of size 0");
    if (a > kMaxWeights / b) too_large();
    return a * b;
}

}  // namespace

Architecture Architecture::tree(std::size_t inputs, const std::vector<std::size_t>& fan_ins,
                                std::size_t outputs) {
    Architecture result{inputs, std::vector<LayerShape>(fan_ins.size() + 1)};
    std::size_t neurons = outputs;
    for (std::size_t l = fan_ins.size(); l > 0; --l) {
        result.layers[l] = {neurons, fan_ins[l - 1], Connectivity::kTree};
        neurons = product(neurons, fan_ins[l - 1]);
    }
    product(neurons, inputs);
    result.layers[0] = {neurons, inputs, Connectivity::kDense};
    return result;
}

Architecture Architecture::dense(std::size_t inputs, const std::vector<std::size_t>& widths,
                                 const std::vector<std::size_t>& fan_ins, std::size_t outputs) {
    Architecture result{inputs, {}};
    std::size_t below = inputs;
    for (const std::size_t width : widths) {
        product(width, below);
        result.layers.push_back({width, below, Connectivity::kDense});
        below = width + 1;
    }
    const Architecture top = tree(below, fan_ins, outputs);
    result.layers.insert(result.layers.end(), top.layers.begin(), top.layers.end());
    if (result.weights() > kMaxWeights) too_large();
    return result;
}

}  // namespace bitbayes::learn
