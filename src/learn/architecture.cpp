#include "learn/architecture.hpp"

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

bool Architecture::is_tree() const {
    for (std::size_t l = 0; l < layers.size(); ++l) {
        const LayerShape& layer = layers[l];
        const bool fits = l == 0
                              ? layer.connectivity == Connectivity::kDense && layer.fan_in == inputs
                              : layer.connectivity == Connectivity::kTree &&
                                    layer.weights() == layers[l - 1].neurons;
        if (!fits || layer.neurons == 0 || layer.fan_in == 0) return false;
    }
    return !layers.empty();
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

Architecture Architecture::tree(std::size_t inputs, const std::vector<std::size_t>& fan_ins,
                                std::size_t outputs) {
    constexpr std::uint64_t kMaxWeights = std::uint64_t{1} << 40;
    const auto product = [](std::size_t a, std::size_t b) {
        if (a == 0 || b == 0) throw Error(ErrorCode::kUsage, "a layer of size 0");
        if (a > kMaxWeights / b) {
            throw Error(ErrorCode::kUsage, "the network would have more than 2^40 weights",
                        "smaller numbers in `tree`");
        }
        return a * b;
    };
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

}  // namespace bitbayes::learn
