#include "learn/architecture.hpp"

#include <cstdint>
#include <numeric>

#include "bitbayes/error.hpp"

namespace bitbayes::learn {

std::size_t Architecture::weights() const {
    return std::accumulate(
        layers.begin(), layers.end(), std::size_t{0},
        [](std::size_t sum, const LayerShape& layer) { return sum + layer.weights(); });
}

Architecture Architecture::tree(std::size_t inputs, const std::vector<std::size_t>& fan_ins,
                                std::size_t outputs) {
    constexpr std::uint64_t kMostWeights = std::uint64_t{1} << 40;
    const auto product = [](std::size_t a, std::size_t b) {
        if (a == 0 || b == 0) throw Error(ErrorCode::kUsage, "a layer of size 0");
        if (a > kMostWeights / b) {
            throw Error(ErrorCode::kUsage, "the network would have more than 2^40 weights",
                        "smaller fan-ins in --tree");
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
