#include "clip/device_clip.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "bitbayes/types/error.hpp"
#include "clip/clip.hpp"
#include "clip/clip_inputs.hpp"

namespace bitbayes::clip {
namespace {

using device::InputScale;
using device::Network;
using learn::ModelState;

/// As `update` does it: a row of a stream comes once (docs/drift.md).
constexpr double kLeastEvidence = 0.25, kMostEvidence = 256;
constexpr int kMaxShift = 24;

void check(const ModelState& model) {
    const auto refuse = [](const char* what) {
        throw Error(ErrorCode::kUsage, fmt::format("{} cannot learn on a device", what),
                    "train with --tree N, or --single");
    };
    if (!model.rule().has_posterior) refuse("BackProp");
    if (!model.architecture.is_tree()) refuse("a network with dense hidden layers");
    if (model.architecture.depth() > 2) refuse("a network of more than two layers");
    if (model.preprocessing.sparse) refuse("a network of sparse rows");
    if (model.architecture.inputs > device::kMaxInputs) refuse("a network of over 65536 inputs");
    if (model.evidence > kMostEvidence) refuse("a network whose rows count over 256 times each");
    if (model.architecture.depth() == 2 &&
        model.architecture.layers[1].fan_in > device::kMaxHidden) {
        refuse("a network of over 4095 hidden neurons per class");
    }
}

/// The largest |x_k - mean_k| that training saw, in units of x.
double largest_input(const ModelState& model, const ClipInputs& inputs) {
    double largest = 0;
    for (std::size_t k = 0; k < inputs.column.size(); ++k) {
        const double mean = inputs.mean.empty() ? 0 : inputs.mean[k] / inputs.unit;
        double low = -1, high = 1;
        if (inputs.comparator.empty()) {
            const auto& columns = model.preprocessing.columns;
            low = inputs.quantiser(inputs.column[k], columns.minimum[inputs.column[k]]);
            high = inputs.quantiser(inputs.column[k], columns.maximum[inputs.column[k]]);
        }
        largest = std::max({largest, std::fabs(low - mean), std::fabs(high - mean)});
    }
    return largest;
}

/// The finest power of two for which no input of the training, nor the constant, exceeds the limit.
InputScale input_scale(const ModelState& model, const ClipInputs& inputs) {
    InputScale scale;
    const bool bias = model.preprocessing.bias;
    const std::size_t fan_in = inputs.column.size() + (bias ? 1 : 0);
    while (fan_in << scale.bits > std::size_t{1} << 24) scale.bits -= 2;
    const double constant = inputs.scale / inputs.unit;
    const double largest = std::max(largest_input(model, inputs), bias ? constant : 0.0);
    double power = 1;
    while (largest * power * 2 <= scale.limit() && scale.left < 1 << scale.bits) {
        power *= 2;
        scale.left *= 2;
    }
    while (largest * power > scale.limit() && scale.right < kMaxShift) {
        power /= 2;
        ++scale.right;
    }
    for (const double mean : inputs.mean) {
        const double value = std::round(mean / inputs.unit * scale.left);
        scale.mean.push_back(static_cast<std::int32_t>(std::clamp(value, -0x1p29, 0x1p29)));
    }
    if (bias) {
        const double value = std::min<double>(std::round(constant * power), scale.limit());
        scale.constant = static_cast<std::int32_t>(value);
    }
    return scale;
}

/// Places of the weights of a neuron of layer 1 that move.
std::vector<std::uint32_t> places(const ModelState& model, const ClipInputs& inputs) {
    std::vector<std::uint32_t> result = inputs.weight;
    if (model.preprocessing.bias) {
        result.push_back(static_cast<std::uint32_t>(model.architecture.inputs - 1));
    }
    return result;
}

std::int8_t byte_of(float h) {
    const double q = std::round(static_cast<double>(h) * device::kScale);
    return static_cast<std::int8_t>(std::clamp<double>(q, -device::kLargest, device::kLargest));
}

double mean_of(std::span<const float> values) {
    if (values.empty()) return 0;
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

Network device_network(const ModelState& model) {
    check(model);
    const ClipInputs inputs(model.preprocessing);
    Network network;
    network.clipped = clip(model);
    network.inputs = input_scale(model, inputs);
    network.tables = device::Tables(mean_of(model.label_noise.eps));
    const double step = std::max(model.evidence, kLeastEvidence) / 2 * device::kScale;
    while (std::ldexp(step, network.step_bits + 1) < 32767.5) ++network.step_bits;
    network.step = static_cast<std::int32_t>(std::round(std::ldexp(step, network.step_bits)));
    const auto& layers = model.posterior.layers;
    const auto moving = places(model, inputs);
    for (std::size_t i = 0; i < layers[0].shape.neurons; ++i) {
        for (const std::uint32_t j : moving) network.h1.push_back(byte_of(layers[0].row(i)[j]));
    }
    if (layers.size() == 1) return network;
    network.hidden = layers[1].shape.fan_in;
    for (const float h : layers[1].learned) network.h2.push_back(byte_of(h));
    return network;
}

void take_back(const Network& network, const device::Learner& learner, std::uint64_t rows,
               ModelState& model) {
    const auto moving = places(model, ClipInputs(model.preprocessing));
    auto& layers = model.posterior.layers;
    const auto real = [](std::int8_t h) { return static_cast<float>(h) / device::kScale; };
    for (std::size_t i = 0; i < network.neurons(); ++i) {
        for (std::size_t j = 0; j < moving.size(); ++j) {
            layers[0].row(i)[moving[j]] = real(learner.h1()[i * moving.size() + j]);
        }
    }
    if (network.hidden > 0) {
        std::transform(learner.h2().begin(), learner.h2().end(), layers[1].learned.begin(), real);
    }
    for (auto& layer : layers) layer.carried.clear();
    model.polished.reset();
    model.samples_seen += rows;
}

}  // namespace bitbayes::clip
