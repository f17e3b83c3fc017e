// Runs whose clipped network polishing changes.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "bitbayes/bitbayes.hpp"
#include "learn/live_model.hpp"
#include "training/blobs.hpp"

namespace bitbayes::test {

struct Shape {
    std::vector<std::size_t> tree, dense;
};
inline const Shape kShapes[] = {{{9}, {}}, {{}, {}}, {{5, 3}, {}}, {{}, {20}}, {{3}, {20}}};

/// Hard enough that the signs of a posterior leave errors.
inline Dataset hard(std::size_t rows = 200, std::size_t classes = 4, unsigned seed = 3) {
    return with_wrong_labels(blobs(rows, classes, seed), 0.2);
}

inline TrainOptions options_of(const Shape& shape, std::uint64_t polish = 5) {
    TrainOptions options = small_options();
    options.tree = shape.tree;
    options.dense = shape.dense;
    options.evidence = 0.5;
    options.polish = polish;
    return options;
}

inline std::optional<learn::SignPattern> pattern_of(const Model& model) {
    return model.live().snapshot().polished;
}

}  // namespace bitbayes::test
