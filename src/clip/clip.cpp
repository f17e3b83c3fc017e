#include "clip/clip.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <utility>

#include "base/philox.hpp"
#include "bitbayes/types/error.hpp"
#include "clip/clip_inputs.hpp"
#include "math/ceil_sum.hpp"

namespace bitbayes::clip {
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
    if (!(size < kLimit)) {  // only in a hostile file
        const double t = std::isnan(sum) ? 0 : std::ceil(sum);
        return static_cast<std::int64_t>(std::clamp(t, -kLimit, kLimit));
    }
    const bool clear = std::fabs(sum - std::round(sum)) > size * 0x1p-53 * terms.size();
    return static_cast<std::int64_t>(clear ? std::ceil(sum) : math::ceil_sum(terms));
}

/// positive(l, place) tells whether weight `place` of layer l, row by row, is +1.
template <class Positive>
std::vector<packed::Layer> clip_layers(const std::vector<learn::LayerPosterior>& layers, bool bias,
                                       const ClipInputs& inputs, const Positive& positive) {
    std::vector<packed::Layer> result;
    for (std::size_t l = 0; l < layers.size(); ++l) {
        const learn::LayerShape& shape = layers[l].shape;
        std::vector<std::uint32_t> places = inputs.weight;
        const bool dense = shape.connectivity == learn::Connectivity::kDense;
        if (l > 0) {
            places.resize(shape.fan_in - (dense ? 1 : 0));
            std::iota(places.begin(), places.end(), 0u);
        }
        packed::Layer out(shape.neurons, places.size(), dense);
        for (std::size_t i = 0; i < shape.neurons; ++i) {
            const std::size_t row = i * shape.fan_in;
            for (std::size_t j = 0; j < places.size(); ++j) {
                out.set_positive(i, j, positive(l, row + places[j]));
            }
            if (!dense) continue;
            const int constant = positive(l, row + shape.fan_in - 1) ? 1 : -1;
            out.threshold.push_back(l > 0 ? -constant
                                          : fold_threshold(out, i, inputs, bias ? constant : 0));
        }
        result.push_back(std::move(out));
    }
    return result;
}

packed::Network without_members(const learn::ModelState& model, ClipInputs& inputs) {
    packed::Network network;
    network.quantiser = std::move(inputs.quantiser);
    network.sparse = model.preprocessing.sparse;
    if (const auto& kept = model.preprocessing.kept) {
        network.source = packed::SourceColumns{kept->features, kept->column};
    }
    network.column = std::move(inputs.column);
    network.comparator = std::move(inputs.comparator);
    network.table = model.columns;
    network.seed = model.seed;
    network.samples_seen = model.samples_seen;
    return network;
}

}  // namespace

packed::Network clip(const learn::ModelState& model) {
    packed::Network network = clip_trees(model, model.posterior);
    network.class_names = model.class_names;
    return network;
}

packed::Network clip_trees(const learn::ModelState& model, const learn::Posterior& trees,
                           std::size_t first) {
    ClipInputs inputs(model.preprocessing);
    packed::Network network = without_members(model, inputs);
    const auto positive = [&](std::size_t l, std::size_t place) {
        if (!model.polished) return trees.layers[l].learned[place] >= 0;
        const learn::LayerShape& shape = model.architecture.layers[l];
        const std::size_t before = first * (shape.weights() / model.architecture.outputs());
        return model.polished->positive(l, before + place);
    };
    network.members.push_back(
        clip_layers(trees.layers, model.preprocessing.bias, inputs, positive));
    return network;
}

packed::Network clip_committee(const learn::ModelState& model, std::size_t draws,
                               std::uint64_t seed) {
    if (!model.rule().has_posterior) {
        throw Error(ErrorCode::kUsage, "BackProp has no posterior to draw a committee from",
                    "train with `algorithm` mfb");
    }
    packed::Network network = clip(model);
    const ClipInputs inputs(model.preprocessing);
    const auto& layers = model.posterior.layers;
    std::vector<std::vector<float>> means;  // P(W = +1) = (1 + tanh h) / 2
    for (const auto& layer : layers) means.push_back(learn::weight_means(layer.learned));
    for (std::size_t member = 1; member <= draws; ++member) {
        const auto drawn = [&](std::size_t l, std::size_t place) {
            const auto stream = static_cast<std::uint32_t>(member * layers.size() + l);
            return 2 * Philox(seed, Purpose::kCommittee, stream).uniform(place) - 1 <
                   static_cast<double>(means[l][place]);
        };
        network.members.push_back(clip_layers(layers, model.preprocessing.bias, inputs, drawn));
    }
    network.adds_scores = draws > 0;
    return network;
}

packed::Network clip_members(std::span<const learn::ModelState> members, std::size_t draws,
                             std::uint64_t seed) {
    packed::Network network;
    for (std::size_t m = 0; m < members.size(); ++m) {
        packed::Network next =
            draws == 0 ? clip(members[m]) : clip_committee(members[m], draws, seed + m);
        if (m == 0) {
            network = std::move(next);
        } else {
            std::move(next.members.begin(), next.members.end(),
                      std::back_inserter(network.members));
        }
    }
    network.adds_scores = network.members.size() > 1;
    return network;
}

}  // namespace bitbayes::clip
