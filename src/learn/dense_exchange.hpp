// Ranks that share a dense network: each computes its panels of every layer for all rows of a batch,
// and these exchanges complete what the others need. No sum is split, so the bits do not depend on
// the number of ranks. Per batch of B rows they send B floats per neuron forward, B per neuron but
// those of layer 1 backward, and the weights of all layers but the first; sharing the rows instead
// would send the same and the weights of layer 1 too.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "dist/collectives.hpp"
#include "learn/dense_batch.hpp"

namespace bitbayes::learn::dense {

class Exchange {
  public:
    explicit Exchange(dist::Communicator& ranks) : ranks_(ranks) {}

    bool several() const { return ranks_.several(); }
    /// This rank's panels of a layer; layers of trees are computed by every rank.
    Range panels(const Layer& layer) const { return dist::own_share(ranks_, layer.panels()); }
    Range rows(std::size_t total) const { return dist::own_share(ranks_, total); }

    /// After forward: the activity of a hidden layer, or the sums of the outputs.
    void forward(const Layer& layer, LayerRows& own, std::size_t rows, bool outputs) {
        if (!several() || layer.is_tree()) return;
        if (outputs) {
            columns(layer, own.S, own.stride, rows);
            columns(layer, own.U, own.stride, rows);
            return;
        }
        columns(layer, own.nu, own.stride, rows);
        std::transform(own.nu.begin(), own.nu.end(), own.squares.begin(),
                       [](float nu) { return nu * nu; });
        if (!own.kept.empty()) columns(layer, own.kept, own.stride, rows);
    }

    /// After the messages to a layer: d of its neurons.
    void backward(const Layer& layer, LayerRows& own, std::size_t rows) {
        if (several()) columns(layer, own.d, own.stride, rows);
    }

    /// Panels of weights, h or w.
    void weights(const Layer& layer, AlignedVector<float>& values) const {
        if (!several() || layer.is_tree()) return;
        dist::gather_shares(ranks_, std::span<float>(values), layer.panels());
    }

    /// z of the rows that each rank answered.
    void answers(std::span<float> z, std::size_t rows) const {
        dist::gather_shares(ranks_, z, rows);
    }

    bool any(bool mine) const { return ranks_.any(mine); }

  private:
    /// The columns of each rank's panels, of `rows` rows.
    void columns(const Layer& layer, AlignedVector<float>& values, std::size_t stride,
                 std::size_t rows) {
        const auto for_each_run = [&](std::size_t rank, const auto& visit) {
            const Range own = share_of(layer.panels(), rank, ranks_.size());
            const std::size_t width = own.count * kLanes;
            float* packed = packed_.data() + own.first * kLanes * rows;
            for (std::size_t r = 0; r < rows; ++r) {
                visit(values.data() + r * stride + own.first * kLanes, packed + r * width, width);
            }
        };
        packed_.resize(layer.panels() * kLanes * rows);
        for_each_run(ranks_.rank(), [](const float* value, float* packed, std::size_t count) {
            std::copy_n(value, count, packed);
        });
        dist::gather_shares(ranks_, std::span(packed_), layer.panels());
        for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
            if (rank == ranks_.rank()) continue;
            for_each_run(rank, [](float* value, const float* packed, std::size_t count) {
                std::copy_n(packed, count, value);
            });
        }
    }

    dist::Communicator& ranks_;
    std::vector<float> packed_;
};

}  // namespace bitbayes::learn::dense
