#include "learn/clip.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/philox.hpp"
#include "bitbayes/error.hpp"
#include "learn/clip_inputs.hpp"
#include "math/ceil_sum.hpp"

namespace bitbayes::learn {
namespace {

/// sum_k W_k u_k + W_c >= 0  iff  sum_k W_k x_k >= t = ceil((sum_k W_k m_k - W_c s) / unit);
/// W_c is 0 without a constant. Means come with unit 1, and their sum is exact.
std::int64_t fold_threshold(const packed::Layer& layer, std::size_t neuron,
                            const ClipInputs& inputs, int constant_weight) {
    constexpr double kLimit = 0x1p51;  // beyond every sum of inputs
    const double constant = -constant_weight * inputs.scale;
    if (inputs.mean.empty()) {
        const double t = std::ceil(constant / inputs.unit);
        return static_cast<std::int64_t>(std::clamp(t, -kLimit, kLimit));
    }
    std::vector<double> terms{constant};
    double sum = constant, size = std::fabs(constant);
    for (std::size_t k = 0; k < inputs.mean.size(); ++k) {
        terms.push_back(layer.weight(neuron, k) * inputs.mean[k]);
        sum += terms.back();
        size += std::fabs(terms.back());
    }
    if (!(size < kLimit)) {  // of a hostile file
        const double t = std::isnan(sum) ? 0 : std::ceil(sum);
        return static_cast<std::int64_t>(std::clamp(t, -kLimit, kLimit));
    }
    const bool clear = std::fabs(sum - std::round(sum)) > size * 0x1p-53 * terms.size();
    return static_cast<std::int64_t>(clear ? std::ceil(sum) : math::ceil_sum(terms));
}

/// One neuron after the other: the weights at the given places of its row.
template <class Positive>
void clip_rows(packed::Layer& out, const LayerPosterior& layer, std::size_t first_neuron,
               std::span<const std::uint32_t> places, const Positive& positive) {
    for (std::size_t i = 0; i < out.neurons; ++i) {
        const std::size_t row = (first_neuron + i) * layer.stride;
        for (std::size_t j = 0; j < places.size(); ++j) {
            if (positive(row + places[j])) out.set_positive(i, j);
        }
    }
}

/// positive(l, place) tells whether the weight at `place` in the memory of layer l is +1.
template <class Positive>
std::vector<packed::Layer> clip_layers(const ModelState& model, TreeRange trees,
                                       const ClipInputs& inputs, const Positive& positive) {
    std::vector<packed::Layer> result;
    const auto& layers = model.posterior.layers;
    for (std::size_t l = 0; l < layers.size(); ++l) {
        const LayerPosterior& layer = layers[l];
        const std::size_t per_tree = layer.shape.neurons / model.architecture.outputs();
        const std::size_t first = trees.first * per_tree;
        const auto is_positive = [&](std::size_t place) { return positive(l, place); };
        std::vector<std::uint32_t> places = inputs.weight;
        if (l > 0) {
            places.resize(layer.shape.fan_in);
            std::iota(places.begin(), places.end(), 0u);
        }
        packed::Layer out(trees.count * per_tree, places.size(),
                          layer.shape.connectivity == Connectivity::kDense);
        clip_rows(out, layer, first, places, is_positive);
        for (std::size_t i = 0; l == 0 && i < out.neurons; ++i) {
            const std::size_t constant = (first + i) * layer.stride + layer.shape.fan_in - 1;
            const int sign = is_positive(constant) ? 1 : -1;
            out.threshold.push_back(
                fold_threshold(out, i, inputs, model.preprocessing.bias ? sign : 0));
        }
        result.push_back(std::move(out));
    }
    return result;
}

auto sign_of_learned(const ModelState& model) {
    return [&](std::size_t l, std::size_t place) {
        return model.posterior.layers[l].learned()[place] >= 0;
    };
}

/// P(W = +1) = (1 + tanh h) / 2
auto drawn(const ModelState& model, std::uint64_t seed, std::size_t member) {
    return [&model, seed, member](std::size_t l, std::size_t place) {
        const LayerPosterior& layer = model.posterior.layers[l];
        const std::size_t weight = place / layer.stride * layer.shape.fan_in + place % layer.stride;
        const auto stream = static_cast<std::uint32_t>(member * model.posterior.layers.size() + l);
        return 2 * Philox(seed, Purpose::kCommittee, stream).uniform(weight) - 1 <
               static_cast<double>(layer.w[place]);
    };
}

packed::Network without_members(const ModelState& model, ClipInputs& inputs) {
    packed::Network network;
    network.quantiser = std::move(inputs.quantiser);
    network.sparse = model.preprocessing.sparse;
    network.column = std::move(inputs.column);
    network.comparator = std::move(inputs.comparator);
    network.seed = model.seed;
    network.samples_seen = model.samples_seen;
    return network;
}

}  // namespace

packed::Network clip(const ModelState& model) {
    packed::Network network = clip(model, {0, model.architecture.outputs()});
    network.class_names = model.class_names;
    return network;
}

packed::Network clip(const ModelState& model, TreeRange trees) {
    ClipInputs inputs(model.preprocessing);
    packed::Network network = without_members(model, inputs);
    network.members.push_back(clip_layers(model, trees, inputs, sign_of_learned(model)));
    return network;
}

packed::Network clip_committee(const ModelState& model, std::size_t draws, std::uint64_t seed) {
    if (model.algorithm() == Algorithm::kBackprop) {
        throw Error(ErrorCode::kUsage, "BackProp has no posterior to draw a committee from",
                    "train with --algorithm mfb");
    }
    packed::Network network = clip(model);
    const ClipInputs inputs(model.preprocessing);
    const TreeRange all{0, model.architecture.outputs()};
    for (std::size_t member = 1; member <= draws; ++member) {
        network.members.push_back(clip_layers(model, all, inputs, drawn(model, seed, member)));
    }
    return network;
}

}  // namespace bitbayes::learn
