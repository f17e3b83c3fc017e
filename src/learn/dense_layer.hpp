// The weights of one layer of a dense network, laid out for kernels/dense_kernels-inl.hpp.
#pragma once

#include <algorithm>
#include <cstddef>

#include "base/aligned.hpp"
#include "kernels/table.hpp"
#include "learn/live_inputs.hpp"
#include "learn/posterior.hpp"

namespace bitbayes::learn::dense {

/// Floats of a row of n, in an odd number of cache lines: rows one above the other then fall into
/// different sets of a cache.
constexpr std::size_t row_stride(std::size_t n) { return (padded(n) / kLanes | 1) * kLanes; }

struct Layer {
    LayerShape shape;
    std::size_t inputs = 0;     // that have weights here: the live ones of layer 1
    std::size_t stride = 0;     // floats from one panel, or one row of a tree layer, to the next
    AlignedVector<float> h, w;  // h is empty if the rule learns w itself
    AlignedVector<float> h0;    // the prior; empty: nothing is forgotten

    Layer(const LayerShape& layer_shape, std::size_t width) : shape(layer_shape), inputs(width) {
        stride = is_tree() ? padded(width) : (width | 1) * kLanes;
    }

    bool is_tree() const { return shape.connectivity == Connectivity::kTree; }
    std::size_t panels() const { return padded(shape.neurons) / kLanes; }
    std::size_t place(std::size_t neuron, std::size_t j) const {
        if (is_tree()) return neuron * stride + j;
        return neuron / kLanes * stride + j * kLanes + neuron % kLanes;
    }
    std::size_t floats() const { return (is_tree() ? shape.neurons : panels()) * stride; }

    kernels::DensePanels some_panels(std::size_t first, std::size_t count) {
        float* own = h.empty() ? nullptr : h.data() + first * stride;
        return {{inputs, count, stride}, own, w.data() + first * stride};
    }
    kernels::DenseMeans some_means(std::size_t first, std::size_t count) const {
        return {{inputs, count, stride}, w.data() + first * stride};
    }
    kernels::SliceShape rows() const { return {shape.neurons, shape.fan_in, stride}; }
    kernels::MeansSlice tree_means() const { return {rows(), w.data()}; }
    kernels::LayerSlice tree_slice() {
        return {rows(), h.empty() ? nullptr : h.data(), w.data(), nullptr};
    }

    /// Neurons x fan_in laid out for the kernels. `live` has the inputs of layer 1; null above it.
    AlignedVector<float> placed(const std::vector<float>& rows, const LiveInputs* live) const {
        AlignedVector<float> out(floats(), 0.0f);
        for (std::size_t i = 0; i < shape.neurons; ++i) {
            const float* row = rows.data() + i * shape.fan_in;
            for (std::size_t j = 0; j < inputs; ++j) {
                out[place(i, j)] = row[live == nullptr ? j : (*live)[j]];
            }
        }
        return out;
    }

    void take(const LayerPosterior& from, const LiveInputs* live, bool follows,
              const kernels::KernelTable& kernels) {
        (follows ? h : w) = placed(from.learned, live);
        if (!follows) return;
        w.resize(floats());
        kernels.weight_means(h.data(), w.data(), floats());
    }

    LayerPosterior give(const LiveInputs* live) const {
        const AlignedVector<float>& learned = h.empty() ? w : h;
        LayerPosterior out(shape);
        for (std::size_t i = 0; i < shape.neurons; ++i) {
            float* row = out.learned.data() + i * shape.fan_in;
            const auto number = [&](std::size_t j) { return learned[place(i, j)]; };
            if (live != nullptr) {
                live->merge(number,
                            std::span(live->others()).subspan(i * live->others_per_neuron()), row);
                continue;
            }
            for (std::size_t j = 0; j < inputs; ++j) row[j] = number(j);
        }
        return out;
    }
};

}  // namespace bitbayes::learn::dense
