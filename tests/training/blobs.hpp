// A table that is easy to learn.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "bitbayes/types/dataset.hpp"
#include "bitbayes/types/options.hpp"

namespace bitbayes::test {

/// `classes` Gaussian blobs in 12 columns.
inline Dataset blobs(std::size_t rows, std::size_t classes, unsigned seed) {
    std::mt19937 engine(seed), centres(99);
    std::normal_distribution<double> normal;
    std::vector<double> centre(classes * 12);
    for (double& c : centre) c = 2 * normal(centres);
    Dataset data;
    data.name = "blobs";
    data.rows = rows;
    data.features = 12;
    std::vector<double> values;
    for (std::size_t r = 0; r < rows; ++r) {
        const auto label = static_cast<std::uint32_t>(r % classes);
        data.labels.push_back(label);
        for (std::size_t j = 0; j < 12; ++j)
            values.push_back(centre[label * 12 + j] + normal(engine));
    }
    data.values = values;
    for (std::size_t k = 0; k < classes; ++k) data.class_names.push_back(std::to_string(k));
    return data;
}

/// With `share` of the labels drawn anew among the other classes.
inline Dataset with_wrong_labels(Dataset data, double share) {
    std::mt19937 engine(17);
    const auto classes = static_cast<std::uint32_t>(data.class_names.size());
    for (std::uint32_t& label : data.labels) {
        if (std::uniform_real_distribution<>()(engine) >= share) continue;
        label = (label + 1 + static_cast<std::uint32_t>(engine()) % (classes - 1)) % classes;
    }
    return data;
}

inline TrainOptions small_options() {
    TrainOptions options;
    options.tree = {9};
    options.epochs = 3;
    options.evidence = 1;
    options.preprocess = "center";
    return options;
}

}  // namespace bitbayes::test
