#include "packed/inference.hpp"

#include <algorithm>
#include <cstdlib>

namespace bitbayes::packed {
namespace {

constexpr std::size_t kBytes = kNeuronBlock / 8;

/// So many entries from `first` on that the absolute values add up to an int16; at least one.
std::size_t run_length(std::span<const Entry> entries, std::size_t first) {
    constexpr int kMost = 32767;
    int sum = 0;
    std::size_t end = first;
    for (; end < entries.size(); ++end) {
        sum += std::abs(int{entries[end].value});
        if (sum > kMost && end > first) break;
    }
    return end - first;
}

}  // namespace

Inference::Inference(const IntegerNetwork& network) : network_(network) {
    const IntegerLayer& layer = network.layers[0];
    stride_ = (layer.neurons + kNeuronBlock - 1) / kNeuronBlock * kBytes;
    bits_.assign(layer.fan_in * stride_ + 8, 0);  // a mask is read as 8 bytes
    for (std::size_t i = 0; i < layer.neurons; ++i) {
        const std::int8_t* weight = layer.weight.data() + i * layer.fan_in;
        for (std::size_t j = 0; j < layer.fan_in; ++j) {
            bits_[j * stride_ + i / 8] |=
                static_cast<std::uint8_t>((weight[j] > 0 ? 1u : 0u) << (i % 8));
        }
    }
}

std::vector<std::int64_t> Inference::scores(std::span<const Entry> entries) const {
    const IntegerLayer& layer = network_.layers[0];
    std::vector<std::int32_t> P(stride_ * 8);
    std::vector<std::int64_t> sums(layer.neurons);
    std::int64_t total = 0;
    const auto collect = [&] {
        for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += 2 * std::int64_t{P[i]};
        std::fill(P.begin(), P.end(), 0);
    };
    constexpr std::size_t kMostRuns = 65535;  // whose sum fits into int32
    std::size_t runs = 0;
    for (std::size_t first = 0; first < entries.size();) {
        const auto run = entries.subspan(first, run_length(entries, first));
        accumulate(run, bits_.data(), stride_, P);
        for (const Entry& entry : run) total += entry.value;
        first += run.size();
        if (++runs % kMostRuns == 0) collect();
    }
    collect();
    for (std::size_t i = 0; i < sums.size(); ++i) {
        sums[i] -= total + (layer.threshold.empty() ? 0 : layer.threshold[i]);
    }
    network_.finish(sums);
    return sums;
}

std::vector<std::int64_t> Inference::scores(std::span<const std::int16_t> x) const {
    std::vector<Entry> entries;
    entries.reserve(x.size());
    for (std::size_t j = 0; j < x.size(); ++j) {
        if (x[j] != 0) entries.push_back({static_cast<std::uint32_t>(j), x[j]});
    }
    return scores(entries);
}

}  // namespace bitbayes::packed
