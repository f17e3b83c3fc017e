#include "learn/learner.hpp"

#include <cmath>
#include <vector>

namespace bitbayes::learn {

namespace {

using kernels::InputRow;
using kernels::KernelTable;
using kernels::LayerSlice;
using kernels::MeansSlice;
using kernels::Moments;

/// Neurons of layer `l` in one tree.
std::size_t neurons_per_tree(const Posterior& posterior, std::size_t l) {
    return posterior.layers[l].shape.neurons / posterior.layers.back().shape.neurons;
}

kernels::SliceShape slice_shape(const Posterior& posterior, std::size_t l) {
    const LayerPosterior& layer = posterior.layers[l];
    return {neurons_per_tree(posterior, l), layer.shape.fan_in, layer.stride};
}

/// What one tree computes about one sample.
class TreeScratch {
  public:
    explicit TreeScratch(const Posterior& posterior) : layers_(posterior.layers.size()) {
        for (std::size_t l = 0; l < layers_.size(); ++l) {
            const std::size_t size = padded(neurons_per_tree(posterior, l));
            for (auto* values : {&layers_[l].S, &layers_[l].T, &layers_[l].nu, &layers_[l].D})
                values->resize(size);
        }
    }
    Moments moments(std::size_t l) {
        return {layers_[l].S.data(), layers_[l].T.data(), layers_[l].nu.data()};
    }
    /// Messages to the neurons of layer l.
    float* D(std::size_t l) { return layers_[l].D.data(); }
    float z() const { return layers_.back().S[0] / std::sqrt(layers_.back().T[0]); }

  private:
    struct PerLayer {
        AlignedVector<float> S, T, nu, D;
    };
    std::vector<PerLayer> layers_;
};

void forward_tree(const Posterior& posterior, const KernelTable& kernels, std::size_t tree,
                  const InputRow& input, TreeScratch& scratch) {
    for (std::size_t l = 0; l < posterior.layers.size(); ++l) {
        MeansSlice slice{slice_shape(posterior, l), posterior.layers[l].w.data()};
        slice.w += tree * slice.neurons * slice.stride;
        if (l == 0) {
            kernels.forward_input(slice, input, scratch.moments(l));
        } else {
            kernels.forward_hidden(slice, scratch.moments(l - 1).nu, scratch.moments(l));
        }
    }
}

void backward_tree(Posterior& posterior, const KernelTable& kernels, std::size_t tree,
                   const InputRow& input, float y, float evidence, TreeScratch& scratch) {
    const std::size_t L = posterior.layers.size();
    scratch.D(L - 1)[0] = y;
    for (std::size_t l = L; l-- > 0;) {
        LayerSlice slice{slice_shape(posterior, l), posterior.layers[l].h.data(),
                         posterior.layers[l].w.data()};
        slice.h += tree * slice.neurons * slice.stride;
        slice.w += tree * slice.neurons * slice.stride;
        const kernels::Messages messages{scratch.D(l), l + 1 == L, evidence};
        if (l == 0) {
            kernels.backward_input(slice, input, scratch.moments(l), messages);
        } else {
            kernels.backward_hidden(slice, scratch.moments(l - 1).nu, scratch.moments(l), messages,
                                    scratch.D(l - 1));
        }
    }
}

std::vector<InputRow> input_rows(const data::InputBlock& block, const KernelTable& kernels) {
    std::vector<InputRow> rows(block.rows);
    for (std::size_t r = 0; r < block.rows; ++r) {
        if (block.sparse) {
            const std::size_t start = block.row_start[r];
            rows[r] = {block.value.data() + start, block.index.data() + start,
                       block.row_start[r + 1] - start, 0};
        } else {
            rows[r] = {block.value.data() + r * block.stride, nullptr, block.stride, 0};
        }
        rows[r].square_sum = kernels.square_sum(rows[r].x, rows[r].count);
    }
    return rows;
}

float target_of(std::uint32_t label, std::size_t tree, std::size_t outputs) {
    return label == (outputs == 1 ? 1 : tree) ? 1.0f : -1.0f;
}

}  // namespace

void answer_block(const Posterior& posterior, const KernelTable& kernels, ThreadTeam& team,
                  const data::InputBlock& block, std::span<float> z) {
    const std::size_t outputs = posterior.layers.back().shape.neurons;
    const auto rows = input_rows(block, kernels);
    team.run(outputs, [&](std::size_t tree) {
        TreeScratch scratch(posterior);
        for (std::size_t r = 0; r < rows.size(); ++r) {
            forward_tree(posterior, kernels, tree, rows[r], scratch);
            z[r * outputs + tree] = scratch.z();
        }
    });
}

void learn_block(Posterior& posterior, const KernelTable& kernels, ThreadTeam& team,
                 const data::InputBlock& block, const LearnTarget& target, std::span<float> z) {
    const std::size_t outputs = posterior.layers.back().shape.neurons;
    const auto rows = input_rows(block, kernels);
    team.run(outputs, [&](std::size_t tree) {
        TreeScratch scratch(posterior);
        for (std::size_t r = 0; r < rows.size(); ++r) {
            forward_tree(posterior, kernels, tree, rows[r], scratch);
            z[r * outputs + tree] = scratch.z();
            const float y = target_of(target.labels[r], tree, outputs);
            backward_tree(posterior, kernels, tree, rows[r], y, target.evidence, scratch);
        }
    });
}

}  // namespace bitbayes::learn
