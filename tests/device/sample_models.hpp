// Small trained models of every kind that a device can learn with, and rows for them.
#pragma once

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "bitbayes/bitbayes.hpp"
#include "clip/device_clip.hpp"
#include "learn/live_model.hpp"
#include "packed/packed_answers.hpp"

namespace bitbayes::test {

struct DeviceShape {
    std::string name, preprocess;
    bool whole = true;  // columns hold whole numbers
    std::vector<std::size_t> tree = {};
    std::size_t classes = 3, columns = 12;
    bool bias = true;
    double label_noise = 0;
};

inline const std::vector<DeviceShape> kDeviceShapes{
    {"center", "center", true, {5}},
    {"one_layer", "center", true, {}, 4},
    {"two_classes", "thermometer:4", false, {6}, 2, 8},
    {"one_layer_two", "thermometer:3", true, {}, 2, 9, true, 0.05},
    {"real", "standardize", false, {4}},
    {"plain", "none", true, {3}, 3, 20, false},
};

/// Rows around one random centre per class.
inline Dataset device_data(const DeviceShape& shape, std::size_t rows, std::uint64_t seed) {
    std::mt19937_64 centres(1), draw(seed);
    std::normal_distribution<double> normal;
    std::vector<double> centre(shape.classes * shape.columns);
    for (double& c : centre) c = 6 * normal(centres);
    Dataset data;
    data.name = shape.name;
    data.rows = rows;
    data.features = shape.columns;
    std::vector<double> values;
    for (std::size_t r = 0; r < rows; ++r) {
        const auto label = static_cast<std::uint32_t>(draw() % shape.classes);
        data.labels.push_back(label);
        for (std::size_t j = 0; j < shape.columns; ++j) {
            const double x = centre[label * shape.columns + j] + 5 * normal(draw) + 20;
            values.push_back(shape.whole ? std::round(x) : x);
        }
    }
    data.values = std::move(values);
    for (std::size_t k = 0; k < shape.classes; ++k) data.class_names.push_back(std::to_string(k));
    return data;
}

inline Model device_model(const DeviceShape& shape, std::size_t rows = 60) {
    TrainOptions options;
    options.tree = TreeLayers{shape.tree};
    options.preprocess = shape.preprocess;
    options.bias = shape.bias;
    options.label_noise = shape.label_noise;
    options.epochs = 1;
    options.polish = 0;
    return train(device_data(shape, rows, 2), options).model;
}

/// Rows as a device receives them.
inline std::vector<std::int16_t> device_values(const device::Network& network,
                                               const Dataset& data) {
    std::vector<std::int16_t> values(data.rows * network.clipped.quantiser.columns());
    packed::quantise_rows(network.clipped, data, 0, values);
    return values;
}

}  // namespace bitbayes::test
