// Small models for the tests of model files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "container/container.hpp"
#include "learn/model_state.hpp"
#include "model/model_file.hpp"

namespace bitbayes::test {

inline void set_weights(learn::ModelState& model, Algorithm algorithm = Algorithm::kMfb) {
    model.posterior = learn::Posterior(model.architecture, algorithm);
    model.columns.features = model.preprocessing.features();
    int n = 0;
    for (auto& layer : model.posterior.layers) {
        for (std::size_t i = 0; i < layer.shape.neurons; ++i) {
            for (float& value : layer.row(i)) value = 0.37f * static_cast<float>(n++ % 17 - 8);
        }
    }
}

/// 4 inputs (3 columns centred, a constant), 9 hidden neurons, 3 classes.
inline learn::ModelState center_model() {
    learn::ModelState model;
    model.architecture = learn::Architecture::tree(4, {3}, 3);
    auto& p = model.preprocessing;
    p.kind = data::PreprocessKind::kCenter;
    p.reason = "asked for";
    p.columns = {{0, -1.5, 3}, {1, 1e300, 3}, {0.1, 0, 3}, {0, 0, 1}};
    p.mean = {1.0 / 3, 0.25, 3};
    p.scale = {0.7};
    model.class_names = {"ham", "\"crc32\":\"00000000\"", "spam \xc3\xa9"};
    model.columns = {3, {"a", "b", "\xc3\xa9"}, {}, "f-ffl", {"", "kind"}};
    model.seed = ~std::uint64_t{0};
    model.samples_seen = 12345678901;
    model.evidence = 0.1;
    set_weights(model);
    return model;
}

/// The same network, by BackProp.
inline learn::ModelState backprop_model() {
    learn::ModelState model = center_model();
    model.evidence = 1;
    model.learning_rate = 0.003;
    set_weights(model, Algorithm::kBackprop);
    return model;
}

/// The same columns and classes: 4 inputs, dense layers of 5 and 2 neurons, one neuron per class, or
/// a tree of `tree` hidden neurons per class.
inline learn::ModelState dense_model(Algorithm algorithm = Algorithm::kMfb,
                                     const std::vector<std::size_t>& tree = {}) {
    learn::ModelState model = algorithm == Algorithm::kMfb ? center_model() : backprop_model();
    model.architecture = learn::Architecture::dense(4, {5, 2}, tree, 3);
    const TableColumns columns = model.columns;
    set_weights(model, algorithm);
    model.columns = columns;
    return model;
}

/// Two columns as thermometers of 2 and 1 thresholds, no constant, two classes, three layers.
inline learn::ModelState thermometer_model() {
    learn::ModelState model;
    model.architecture = learn::Architecture::tree(3, {3, 5}, 1);
    auto& p = model.preprocessing;
    p.kind = data::PreprocessKind::kThermometer;
    p.levels = 2;
    p.bias = false;
    p.columns = {{0, 0}, {9, 1}, {4, 0}, {1, 1}};
    p.thresholds = {2, 5, 0};
    p.threshold_start = {0, 2, 3};
    p.mean = {0.1, -0.2, 0.3};
    p.scale = {0.9};
    model.class_names = {"-1", std::string("\xff\0x", 3)};
    model.columns.features = 2;
    set_weights(model);
    return model;
}

/// A column of numbers with one threshold, and one of three words.
inline learn::ModelState words_model() {
    learn::ModelState model;
    model.architecture = learn::Architecture::tree(5, {3}, 1);
    auto& p = model.preprocessing;
    p.kind = data::PreprocessKind::kThermometer;
    p.levels = 1;
    p.columns = {{-1, 0}, {2.5, 2}, {0, 1}, {0, 1}};
    p.categorical = {0, 1};
    p.thresholds = {0.5, 0, 1, 2};
    p.threshold_start = {0, 1, 4};
    p.mean = {0.1, -0.2, 0.3, 0.4};
    p.scale = {0.9};
    model.class_names = {"no", "yes"};
    model.columns = {2, {"x", "color"}, {{}, {"blue", "green", "red"}}, "lff", {"ok"}};
    set_weights(model);
    return model;
}

/// A single layer on sparse rows of 5 columns.
inline learn::ModelState sparse_model() {
    learn::ModelState model;
    model.architecture = learn::Architecture::tree(6, {}, 1);
    auto& p = model.preprocessing;
    p.sparse = true;
    p.columns = {std::vector<double>(5, 0), std::vector<double>(5, 1), std::vector<double>(5, 0),
                 std::vector<std::uint8_t>(5, 1)};
    model.class_names = {"-1", "1"};
    model.columns.features = 5;
    set_weights(model);
    return model;
}

inline model::RunSettings sample_settings() {
    model::RunSettings settings;
    settings.options.tree = {3};
    settings.options.epochs = 4;
    settings.options.prior_scale = 0.1;
    settings.options.evidence = 1;
    settings.data_fingerprint = "abc";
    settings.test_fingerprint = "def";
    return settings;
}

/// In the third epoch of center_model().
inline training::TrainPosition sample_position() {
    training::TrainPosition position{2, 17, 5, 0.1, {}};
    position.history.push_back({1, 100, 1.5, 0.25, std::nullopt});
    Evaluation evaluation{10, 0.5, 0.4, 1.0 / 7, 0.3, 0.2, 0.9, Confusion(3)};
    evaluation.confusion.add(0, 0, 4);
    evaluation.confusion.add(0, 2, 1);
    evaluation.confusion.add(2, 1, 5);
    position.history.push_back({2, 200, 1.0 / 3, 0.125, evaluation});
    return position;
}

/// The same bytes with a valid CRC, for damage that a CRC cannot detect.
inline std::string with_valid_crc(std::string bytes) {
    const std::size_t position = container::find_crc_digits(bytes);
    if (position != std::string::npos) {
        bytes.replace(position, 8, container::crc_digits(bytes, position));
    }
    return bytes;
}

}  // namespace bitbayes::test
