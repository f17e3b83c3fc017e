// One thread's share of learning a tree, and what it works on; for tree_learner.cpp alone.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/aligned.hpp"
#include "base/spin_barrier.hpp"
#include "kernels/table.hpp"
#include "learn/finite.hpp"
#include "learn/forgetting.hpp"
#include "learn/label_noise.hpp"

namespace bitbayes::learn::tree {

using kernels::InputRow;
using kernels::KernelTable;
using kernels::LayerSlice;
using kernels::MeansSlice;
using kernels::Moments;
using kernels::SliceShape;
using kernels::TreeRule;

/// All trees' rows of one layer, padded for the kernels. `h` and `smallest_h` are empty if the rule
/// learns w itself.
struct Layer {
    SliceShape tree;  // of one tree
    AlignedVector<float> h, w;
    AlignedVector<float> h0;                // the prior; empty: nothing is forgotten
    std::vector<std::uint32_t> smallest_h;  // as LayerSlice's

    MeansSlice means(std::size_t t) const { return {tree, w.data() + offset(t)}; }
    LayerSlice slice(std::size_t t) {
        return {tree, h.empty() ? nullptr : h.data() + offset(t), w.data() + offset(t),
                smallest_h.empty() ? nullptr : smallest_h.data() + t * tree.neurons};
    }
    std::size_t offset(std::size_t t) const { return t * tree.neurons * tree.stride; }
};

/// Of what the rule learns.
inline bool all_learned_finite(const LayerSlice& slice) {
    const float* learned = slice.h != nullptr ? slice.h : slice.w;
    return all_finite({learned, slice.neurons * slice.stride});
}

struct NeuronScratch {
    AlignedVector<float> S, T, nu;

    explicit NeuronScratch(std::size_t neurons)
        : S(padded(neurons)), T(padded(neurons)), nu(padded(neurons)) {}
    Moments from(std::size_t first) {
        return {S.data() + first, T.data() + first, nu.data() + first};
    }
};

inline float z_of(const Moments& output) { return output.S[0] / std::sqrt(output.T[0]); }

/// Moments of the layers above the first, for one tree.
struct UpperScratch {
    std::vector<NeuronScratch> neurons;

    explicit UpperScratch(const std::vector<Layer>& layers) {
        for (std::size_t l = 1; l < layers.size(); ++l)
            neurons.emplace_back(layers[l].tree.neurons);
    }

    /// z of the output, from the moments of layer 1.
    template <class Means>
    float forward(const TreeRule& rule, const Moments& first, const Means& means_of) {
        Moments below = first;
        for (std::size_t l = 0; l < neurons.size(); ++l) {
            rule.forward_hidden(means_of(l + 1), below.nu, neurons[l].from(0));
            below = neurons[l].from(0);
        }
        return z_of(below);
    }
};

/// The layers above the first while a tree learns. They are small compared to layer 1: threads that
/// share a tree all compute the same numbers, the first thread in the layers themselves, the others
/// in copies.
class Upper {
  public:
    Upper(std::vector<Layer>& layers, std::size_t tree, bool copies)
        : layers_(layers), tree_(tree), scratch_(layers) {
        for (std::size_t l = 1; l < layers.size(); ++l) {
            slices_.push_back(layers[l].slice(tree));
            slices_.back().smallest_h = nullptr;
            messages_.emplace_back(padded(layers[l].tree.neurons * layers[l].tree.fan_in));
            if (!copies) continue;
            copies_.push_back({layers[l].tree, {}, {}, {}, {}});
            copies_.back().h.resize(layers[l].h.empty() ? 0 : layers[l].offset(1));
            copies_.back().w.resize(layers[l].offset(1));
            slices_.back().h = layers[l].h.empty() ? nullptr : copies_.back().h.data();
            slices_.back().w = copies_.back().w.data();
        }
    }

    /// Updates the copies: the layers may have moved since the last block.
    void take_over() {
        for (std::size_t l = 0; l < copies_.size(); ++l) {
            const Layer& from = layers_[l + 1];
            std::copy_n(from.h.data() + from.offset(tree_), copies_[l].h.size(),
                        copies_[l].h.data());
            std::copy_n(from.w.data() + from.offset(tree_), copies_[l].w.size(),
                        copies_[l].w.data());
        }
    }

    float forward(const TreeRule& rule, const Moments& first) {
        return scratch_.forward(rule, first, [&](std::size_t l) {
            return MeansSlice{slices_[l - 1], slices_[l - 1].w};
        });
    }

    /// Learns the target after forward(); returns the messages to the neurons of layer 1.
    const float* backward(const TreeRule& rule, const Moments& first, float y, float rate,
                          float eps) {
        y_ = y;
        const float* D = &y_;
        for (std::size_t l = slices_.size(); l-- > 0;) {
            const float* nu = l == 0 ? first.nu : scratch_.neurons[l - 1].nu.data();
            rule.backward_hidden(slices_[l], nu, scratch_.neurons[l].from(0),
                                 {D, l + 1 == slices_.size(), rate, eps}, messages_[l].data());
            D = messages_[l].data();
        }
        return D;
    }

    void forget(const KernelTable& kernels, float share) {
        for (std::size_t l = 0; l < slices_.size(); ++l) {
            const Layer& layer = layers_[l + 1];
            const LayerSlice& own = slices_[l];
            learn::forget(share, layer.h0.data() + layer.offset(tree_), own.h, layer.offset(1));
            kernels.weight_means(own.h, own.w, layer.offset(1));
        }
    }

    bool finite() const {
        return std::all_of(slices_.begin(), slices_.end(),
                           [](const LayerSlice& slice) { return all_learned_finite(slice); });
    }

  private:
    const std::vector<Layer>& layers_;
    std::size_t tree_;
    UpperScratch scratch_;
    std::vector<LayerSlice> slices_;
    std::vector<Layer> copies_;
    std::vector<AlignedVector<float>> messages_;
    float y_ = 0;
};

/// What the threads that work on one tree share: the moments of layer 1, for this sample and the next.
struct SharedTree {
    NeuronScratch moments[2];
    SpinBarrier barrier;

    SharedTree(std::size_t neurons, unsigned parts)
        : moments{NeuronScratch(neurons), NeuronScratch(neurons)}, barrier(parts) {}
};

/// A block as the kernels read it.
struct Lesson {
    std::span<const InputRow> rows;
    std::span<const std::uint32_t> labels;
    std::span<const float> weights;  // per row; empty: 1
    std::span<float> z;
    std::size_t outputs;
    std::size_t first_tree;        // output of the learner's first tree
    float rate;                    // of a row of weight 1
    float forgotten;               // share of h - h0, at each refresh of w
    std::uint64_t samples_before;  // samples the model has seen before the first row
    LabelNoise& label_noise;       // each tree reads its own before the block and writes it after

    float weight_of(std::size_t row) const { return weights.empty() ? 1 : weights[row]; }
    float rate_of(std::size_t row) const { return rate * weight_of(row); }
};

/// One thread's share of learning a tree: `mine_` are the neurons of layer 1 from `first_` on.
class TreePart {
  public:
    TreePart(std::vector<Layer>& layers, SharedTree& shared, std::size_t tree, std::size_t part,
             std::size_t parts)
        : shared_(shared),
          upper_(layers, tree, part > 0),
          tree_(tree),
          part_(part),
          single_layer_(layers.size() == 1),
          mine_(layers[0].slice(tree)) {
        const std::size_t all = mine_.neurons, share = padded((all + parts - 1) / parts);
        first_ = std::min(part * share, all);
        mine_.neurons = std::min(share, all - first_);
        mine_.w += first_ * mine_.stride;
        if (mine_.h != nullptr) mine_.h += first_ * mine_.stride;
        if (mine_.smallest_h != nullptr) mine_.smallest_h += first_;
        if (!layers[0].h0.empty()) {
            prior_ = layers[0].h0.data() + layers[0].offset(tree) + first_ * mine_.stride;
        }
    }

    void take_over() { upper_.take_over(); }

    /// Stops early if another part of the tree has failed.
    void learn(const TreeRule& rule, const KernelTable& kernels, const Lesson& lesson,
               const std::atomic<bool>& stop) {
        const auto& rows = lesson.rows;
        LabelNoise& noise = lesson.label_noise;
        const std::size_t output = lesson.first_tree + tree_;
        float eps = noise.eps.empty() ? 0 : noise.eps[output];  // every part follows it
        forward(rule, rows[0], 0);
        for (std::size_t r = 0; r < rows.size(); ++r) {
            if (!shared_.barrier.wait() || stop.load(std::memory_order_relaxed)) return;
            const Moments all = shared_.moments[r % 2].from(0);
            const float before = upper_.forward(rule, all);
            if (part_ == 0) lesson.z[r * lesson.outputs + output] = before;
            const float y = target_of(lesson.labels[r], output, lesson.outputs);
            const float rate = lesson.rate_of(r);
            const float* D = upper_.backward(rule, all, y, rate, eps);
            const bool last = r + 1 == rows.size();
            const bool fresh = refreshes(rows[r], lesson.samples_before + r + 1);
            rule.learn_input(mine_, rows[r], shared_.moments[r % 2].from(first_),
                             {D + first_, single_layer_, rate, eps},
                             last || fresh ? nullptr : &rows[r + 1],
                             shared_.moments[(r + 1) % 2].from(first_));
            if (fresh && prior_ != nullptr) forget(kernels, lesson.forgotten);
            if (noise.automatic && lesson.weight_of(r) != 0) eps = followed(eps, before, y);
            if (fresh) refresh(kernels);
            if (fresh && !finite()) {
                stop_diverged(lesson.samples_before + r + 1, mine_.h != nullptr);
            }
            if (fresh && !last) forward(rule, rows[r + 1], (r + 1) % 2);
        }
        if (noise.automatic && part_ == 0) noise.eps[output] = eps;
    }

    void refresh(const KernelTable& kernels) {
        if (mine_.h == nullptr) return;
        kernels.weight_means(mine_.h, mine_.w, mine_.neurons * mine_.stride);
    }

  private:
    void forget(const KernelTable& kernels, float share) {
        learn::forget(share, prior_, mine_.h, mine_.neurons * mine_.stride);
        for (std::size_t i = 0; i < mine_.neurons; ++i) mine_.smallest_h[i] |= kernels::kMovedSince;
        upper_.forget(kernels, share);
    }
    bool finite() const { return all_learned_finite(mine_) && upper_.finite(); }
    void forward(const TreeRule& rule, const InputRow& row, std::size_t turn) {
        rule.forward_input(MeansSlice{mine_, mine_.w}, row, shared_.moments[turn].from(first_));
    }
    /// Sparse rows compute every w that they change from h: only forgetting changes more.
    bool refreshes(const InputRow& row, std::uint64_t samples) const {
        return (row.index == nullptr || prior_ != nullptr) && samples % kernels::kRefreshEvery == 0;
    }

    SharedTree& shared_;
    Upper upper_;
    std::size_t tree_, part_, first_ = 0;
    bool single_layer_;
    LayerSlice mine_;
    const float* prior_ = nullptr;  // of mine_; null: nothing is forgotten
};

}  // namespace bitbayes::learn::tree
