#include "learn/learner.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <vector>

#include "base/spin_barrier.hpp"

namespace bitbayes::learn {

namespace {

using kernels::InputRow;
using kernels::KernelTable;
using kernels::LayerSlice;
using kernels::MeansSlice;
using kernels::Moments;
using kernels::SliceShape;
using kernels::TreeRule;

const TreeRule& rule_of(const Posterior& posterior, const KernelTable& kernels) {
    return posterior.algorithm == Algorithm::kMfb ? kernels.mfb : kernels.backprop;
}

/// What one tree has in layer `l`.
SliceShape slice_shape(const Posterior& posterior, std::size_t l) {
    const LayerPosterior& layer = posterior.layers[l];
    return {layer.shape.neurons / posterior.layers.back().shape.neurons, layer.shape.fan_in,
            layer.stride};
}

struct NeuronScratch {
    AlignedVector<float> S, T, nu;

    explicit NeuronScratch(std::size_t neurons)
        : S(padded(neurons)), T(padded(neurons)), nu(padded(neurons)) {}
    Moments from(std::size_t first) {
        return {S.data() + first, T.data() + first, nu.data() + first};
    }
};

float z_of(const Moments& output) { return output.S[0] / std::sqrt(output.T[0]); }

/// Layers 2..L of one tree, copied: small beside layer 1, so every thread that works on the tree has its own and computes
/// the same numbers.
class UpperLayers {
  public:
    UpperLayers(const Posterior& posterior, std::size_t tree) {
        for (std::size_t l = 1; l < posterior.layers.size(); ++l) {
            const SliceShape shape = slice_shape(posterior, l);
            layers_.push_back({shape, part(posterior.layers[l].h, shape, tree),
                               part(posterior.layers[l].w, shape, tree),
                               NeuronScratch(shape.neurons),
                               AlignedVector<float>(padded(shape.neurons * shape.fan_in))});
        }
    }

    void copy_back(Posterior& posterior, std::size_t tree) const {
        for (std::size_t l = 0; l < layers_.size(); ++l) {
            LayerPosterior& layer = posterior.layers[l + 1];
            if (!layer.h.empty()) {
                std::copy(layers_[l].h.begin(), layers_[l].h.end(),
                          layer.h.begin() + offset(layers_[l].shape, tree));
            }
            std::copy(layers_[l].w.begin(), layers_[l].w.end(),
                      layer.w.begin() + offset(layers_[l].shape, tree));
        }
    }

    /// z of the output, from the moments of layer 1.
    float forward(const TreeRule& rule, const Moments& first) {
        Moments below = first;
        for (Layer& layer : layers_) {
            rule.forward_hidden(MeansSlice{layer.shape, layer.w.data()}, below.nu,
                                layer.neurons.from(0));
            below = layer.neurons.from(0);
        }
        return z_of(below);
    }

    /// Learns the target after forward(); returns the messages to the neurons of layer 1.
    const float* backward(const TreeRule& rule, const Moments& first, float y, float rate) {
        y_ = y;
        const float* D = &y_;
        for (std::size_t l = layers_.size(); l-- > 0;) {
            Layer& layer = layers_[l];
            const float* nu = l == 0 ? first.nu : layers_[l - 1].neurons.nu.data();
            const LayerSlice slice{layer.shape, layer.h.data(), layer.w.data(), nullptr};
            rule.backward_hidden(slice, nu, layer.neurons.from(0),
                                 {D, l + 1 == layers_.size(), rate}, layer.D_below.data());
            D = layer.D_below.data();
        }
        return D;
    }

  private:
    struct Layer {
        SliceShape shape;
        AlignedVector<float> h, w;
        NeuronScratch neurons;
        AlignedVector<float> D_below;
    };

    /// One tree's rows; none of none.
    static AlignedVector<float> part(const AlignedVector<float>& all, const SliceShape& shape,
                                     std::size_t tree) {
        if (all.empty()) return {};
        const auto first = all.begin() + offset(shape, tree);
        return {first, first + offset(shape, 1)};
    }

    static std::ptrdiff_t offset(const SliceShape& shape, std::size_t tree) {
        return static_cast<std::ptrdiff_t>(tree * shape.neurons * shape.stride);
    }

    std::vector<Layer> layers_;
    float y_ = 0;
};

/// What the threads that work on one tree share: the moments of layer 1, for this sample and the next.
struct SharedTree {
    NeuronScratch moments[2];
    SpinBarrier barrier;

    SharedTree(std::size_t neurons, unsigned parts)
        : moments{NeuronScratch(neurons), NeuronScratch(neurons)}, barrier(parts) {}
};

/// Threads per tree: more than one only if there are more threads than trees and enough work for each.
std::size_t parts_per_tree(const Posterior& posterior, const ThreadTeam& team) {
    constexpr std::size_t kLeastWeights = 4096;
    const SliceShape shape = slice_shape(posterior, 0);
    const std::size_t trees = posterior.layers.back().shape.neurons;
    const std::size_t useful =
        std::min(shape.neurons / kLanes, shape.neurons * shape.fan_in / kLeastWeights);
    return std::max<std::size_t>(1, std::min(team.size() / trees, useful));
}

/// One thread's share of learning a block: neurons first .. first + mine.neurons - 1 of layer 1 of a tree.
class TreePart {
  public:
    TreePart(Posterior& posterior, const TreeRule& rule, SharedTree& shared, std::size_t tree,
             std::size_t part, std::size_t parts)
        : posterior_(posterior),
          rule_(rule),
          shared_(shared),
          upper_(posterior, tree),
          tree_(tree),
          part_(part) {
        LayerPosterior& layer = posterior.layers[0];
        const SliceShape shape = slice_shape(posterior, 0);
        const std::size_t share = padded((shape.neurons + parts - 1) / parts);
        first_ = std::min(part * share, shape.neurons);
        const std::size_t row = tree * shape.neurons + first_;
        const std::size_t neurons = std::min(share, shape.neurons - first_);
        const bool certain = layer.h.empty();  // BackProp
        mine_ = {{neurons, shape.fan_in, shape.stride},
                 certain ? nullptr : layer.h.data() + row * shape.stride,
                 layer.w.data() + row * shape.stride,
                 certain ? nullptr : layer.least.data() + row};
    }

    void learn(const std::vector<InputRow>& rows, const LearnTarget& target, std::span<float> z) {
        const std::size_t outputs = posterior_.layers.back().shape.neurons;
        const bool single_layer = posterior_.layers.size() == 1;
        if (rows.empty()) return;
        rule_.forward_input(MeansSlice{mine_, mine_.w}, rows[0], shared_.moments[0].from(first_));
        for (std::size_t r = 0; r < rows.size(); ++r) {
            shared_.barrier.wait();
            const Moments all = shared_.moments[r % 2].from(0);
            const float before = upper_.forward(rule_, all);
            if (part_ == 0) z[r * outputs + tree_] = before;
            const float y = target.labels[r] == (outputs == 1 ? 1 : tree_) ? 1.0f : -1.0f;
            const float* D = upper_.backward(rule_, all, y, target.rate);
            rule_.learn_input(mine_, rows[r], shared_.moments[r % 2].from(first_),
                              {D + first_, single_layer, target.rate},
                              r + 1 < rows.size() ? &rows[r + 1] : nullptr,
                              shared_.moments[(r + 1) % 2].from(first_));
        }
        if (part_ == 0) upper_.copy_back(posterior_, tree_);
    }

  private:
    Posterior& posterior_;
    const TreeRule& rule_;
    SharedTree& shared_;
    UpperLayers upper_;
    std::size_t tree_, part_, first_ = 0;
    LayerSlice mine_;
};

std::vector<InputRow> input_rows(const data::InputBlock& block, const KernelTable& kernels) {
    std::vector<InputRow> rows(block.rows);
    for (std::size_t r = 0; r < block.rows; ++r) {
        if (block.sparse) {
            const std::size_t start = block.row_start[r];
            rows[r].x = block.value.data() + start;
            rows[r].index = block.index.data() + start;
            rows[r].count = block.row_start[r + 1] - start;
        } else {
            rows[r].x = block.value.data() + r * block.stride;
            rows[r].count = block.stride;
        }
        kernels.measure(rows[r]);
    }
    return rows;
}

}  // namespace

void answer_block(const Posterior& posterior, const KernelTable& kernels, ThreadTeam& team,
                  const data::InputBlock& block, std::span<float> z) {
    constexpr std::size_t kRowsPerJob = 64;
    const std::size_t outputs = posterior.layers.back().shape.neurons;
    const TreeRule& rule = rule_of(posterior, kernels);
    const auto rows = input_rows(block, kernels);
    const std::size_t chunks = (rows.size() + kRowsPerJob - 1) / kRowsPerJob;
    team.run(outputs * chunks, [&](std::size_t job) {
        const std::size_t tree = job / chunks, first = job % chunks * kRowsPerJob;
        const SliceShape shape = slice_shape(posterior, 0);
        const MeansSlice slice{shape,
                               posterior.layers[0].w.data() + tree * shape.neurons * shape.stride};
        NeuronScratch moments(shape.neurons);
        UpperLayers upper(posterior, tree);
        for (std::size_t r = first; r < std::min(rows.size(), first + kRowsPerJob); ++r) {
            rule.forward_input(slice, rows[r], moments.from(0));
            z[r * outputs + tree] = upper.forward(rule, moments.from(0));
        }
    });
}

void learn_block(Posterior& posterior, const KernelTable& kernels, ThreadTeam& team,
                 const data::InputBlock& block, const LearnTarget& target, std::span<float> z) {
    const std::size_t trees = posterior.layers.back().shape.neurons;
    const std::size_t parts = parts_per_tree(posterior, team);
    const auto rows = input_rows(block, kernels);
    std::deque<SharedTree> shared;
    for (std::size_t tree = 0; tree < trees; ++tree) {
        shared.emplace_back(slice_shape(posterior, 0).neurons, static_cast<unsigned>(parts));
    }
    // With several parts there are at most as many jobs as threads, so all parts of a tree run at the same time.
    team.run(trees * parts, [&](std::size_t job) {
        const std::size_t tree = job / parts;
        TreePart(posterior, rule_of(posterior, kernels), shared[tree], tree, job % parts, parts)
            .learn(rows, target, z);
    });
}

}  // namespace bitbayes::learn
