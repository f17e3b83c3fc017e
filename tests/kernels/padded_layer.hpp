// A layer as the kernels hold it.
#pragma once

#include <algorithm>
#include <vector>

#include "base/aligned.hpp"
#include "kernels/table.hpp"
#include "learn/posterior.hpp"

namespace bitbayes::test {

struct PaddedLayer {
    kernels::SliceShape shape;
    AlignedVector<float> h, w;

    PaddedLayer(const learn::LayerPosterior& posterior)
        : shape{posterior.shape.neurons, posterior.shape.fan_in, padded(posterior.shape.fan_in)},
          h(shape.neurons * shape.stride),
          w(h.size()) {
        for (std::size_t i = 0; i < shape.neurons; ++i) {
            const auto row = posterior.row(i);
            std::copy(row.begin(), row.end(), h.data() + i * shape.stride);
        }
        kernels::best().weight_means(h.data(), w.data(), h.size());
    }
    kernels::MeansSlice means() const { return {shape, w.data()}; }
    /// No neuron is skipped.
    kernels::LayerSlice slice() { return {shape, h.data(), w.data(), nullptr}; }
};

}  // namespace bitbayes::test
