#include "packed/integer_network.hpp"

#include <algorithm>
#include <cstdlib>

namespace bitbayes::packed {
namespace {

// Below this many int16 terms a sum of them fits into int32.
constexpr std::size_t kNarrowSum = 65536;

template <class Sum>
std::int64_t dot(const std::int8_t* weight, const std::int16_t* x, std::size_t n) {
    Sum sum = 0;
    for (std::size_t j = 0; j < n; ++j) sum += static_cast<Sum>(weight[j]) * static_cast<Sum>(x[j]);
    return sum;
}

std::size_t first_input(const IntegerLayer& layer, std::size_t neuron) {
    return layer.reads_all ? 0 : neuron * layer.fan_in;
}

void dense_sums(const IntegerLayer& layer, std::span<const std::int16_t> x,
                std::vector<std::int64_t>& sums) {
    const auto dot_product = layer.fan_in < kNarrowSum ? &dot<std::int32_t> : &dot<std::int64_t>;
    sums.resize(layer.neurons);
    for (std::size_t i = 0; i < layer.neurons; ++i) {
        sums[i] = dot_product(layer.weight.data() + i * layer.fan_in,
                              x.data() + first_input(layer, i), layer.fan_in);
    }
}

}  // namespace

void IntegerNetwork::finish(std::vector<std::int64_t>& sums) const {
    std::vector<std::int16_t> v;
    for (const IntegerLayer& layer : std::span(layers).subspan(1)) {
        v.resize(sums.size());
        std::transform(sums.begin(), sums.end(), v.begin(),
                       [](std::int64_t sum) { return std::int16_t(sum >= 0 ? 1 : -1); });
        dense_sums(layer, v, sums);
    }
}

std::vector<std::int64_t> IntegerNetwork::scores(std::span<const std::int16_t> x) const {
    std::vector<std::int64_t> sums;
    dense_sums(layers[0], x, sums);
    const auto& threshold = layers[0].threshold;
    for (std::size_t i = 0; i < threshold.size(); ++i) sums[i] -= threshold[i];
    finish(sums);
    return sums;
}

IntegerAnswer IntegerNetwork::answer(std::span<const std::int64_t> scores) {
    if (scores.size() == 1) return {scores[0] >= 0 ? 1u : 0u, std::abs(scores[0]), true};
    const auto best = std::max_element(scores.begin(), scores.end());
    std::int64_t runner_up = best == scores.begin() ? scores[1] : scores[0];
    for (auto it = scores.begin(); it != scores.end(); ++it) {
        if (it != best) runner_up = std::max(runner_up, *it);
    }
    const auto positive =
        std::count_if(scores.begin(), scores.end(), [](std::int64_t score) { return score >= 0; });
    return {static_cast<std::uint32_t>(best - scores.begin()), *best - runner_up, positive == 1};
}

}  // namespace bitbayes::packed
