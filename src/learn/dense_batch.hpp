// What a batch of rows makes of a dense network: inputs, moments, messages, what is left out; for the dense learners alone.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/aligned.hpp"
#include "base/philox.hpp"
#include "data/preprocess.hpp"
#include "kernels/table.hpp"
#include "learn/dense_layer.hpp"
#include "learn/entries_by_column.hpp"
#include "learn/learner.hpp"

namespace bitbayes::learn::dense {

/// Which inputs and neurons a row leaves out. Layer 0 are the inputs.
struct Dropout {
    double input = 0, hidden = 0;
    bool bias = true;  // the last input is a constant and stays
    std::uint64_t seed = 0;
    std::uint64_t first_sample = 0;  // of the batch, counted from the model's first

    /// Of 16 random bits: what draws fewer is left out.
    std::uint32_t limit(std::size_t layer) const {
        return static_cast<std::uint32_t>((layer == 0 ? input : hidden) * 65536 + 0.5);
    }

    /// 1 or 0 for each of 16 neurons, the panel-th of `panels`.
    void draw(std::size_t layer, std::size_t row, std::size_t panel, std::size_t panels,
              float* kept) const {
        const std::uint32_t most = limit(layer);
        const Philox random(seed, Purpose::kDropout, static_cast<std::uint32_t>(layer));
        for (std::uint64_t half = 0; half < 2; ++half) {
            const auto words = random.words(((first_sample + row) * panels + panel) * 2 + half);
            for (std::size_t k = 0; k < 8; ++k) {
                kept[8 * half + k] = (words[k / 2] >> 16 * (k % 2) & 0xffff) < most ? 0.0f : 1.0f;
            }
        }
    }
};

/// Neurons of one layer, rows x stride each.
struct LayerRows {
    std::size_t stride;
    AlignedVector<float> S, U, nu, squares, gain, d, kept;
    std::vector<float> base;  // per row: T = U + base

    LayerRows(const LayerShape& shape, std::size_t rows)
        : stride(row_stride(shape.neurons + 1)), base(rows) {
        for (auto* each : {&S, &U, &nu, &squares, &gain, &d}) each->assign(rows * stride, 0.0f);
    }
    kernels::DenseNeurons neurons(std::size_t row, std::size_t first = 0) {
        const std::size_t at = row * stride + first;
        return {S.data() + at, U.data() + at, nu.data() + at, squares.data() + at,
                gain.data() + at};
    }
};

class Batch {
  public:
    Batch(const std::vector<Layer>& layers, std::size_t max_rows) : layers_(layers) {
        for (const Layer& layer : layers) values_.emplace_back(layer.shape, max_rows);
        stride_ = row_stride(layers[0].inputs);
    }

    std::size_t rows() const { return rows_; }
    std::size_t room() const { return values_[0].base.size(); }  // rows that fit
    LayerRows& layer(std::size_t l) { return values_[l]; }

    /// Takes rows first .. first + count - 1 of the block.
    void read(const data::InputBlock& block, std::size_t first, std::size_t count,
              const kernels::KernelTable& kernels, const Dropout* dropout) {
        rows_ = count;
        sparse_ = block.sparse;
        if (sparse_) {
            read_sparse(block, first);
        } else {
            x_.resize(count * stride_);
            for (std::size_t r = 0; r < count; ++r) {
                std::copy_n(block.value.data() + (first + r) * block.stride, layers_[0].inputs,
                            x_.data() + r * stride_);
            }
        }
        if (dropout != nullptr && dropout->input > 0) drop_inputs(*dropout);
        if (dropout != nullptr && dropout->hidden > 0) {
            for (LayerRows& layer : values_) layer.kept.resize(layer.S.size());
        }
        squares_.resize(x_.size());
        std::transform(x_.begin(), x_.end(), squares_.begin(), [](float x) { return x * x; });
        for (std::size_t r = 0; r < count; ++r) {
            kernels::InputRow row{x_.data() + (sparse_ ? start_[r] : r * stride_), nullptr,
                                  sparse_ ? start_[r + 1] - start_[r] : layers_[0].inputs, 0, 0};
            kernels.measure(row);
            values_[0].base[r] = kernels::kVarianceFloor * row.square_sum + kernels::kSmallest;
        }
    }

    kernels::DenseInputs inputs(std::size_t l) const {
        if (l > 0) {
            const LayerRows& below = values_[l - 1];
            return {below.nu.data(), below.squares.data(), below.stride, rows_, nullptr, nullptr};
        }
        return {x_.data(),
                squares_.data(),
                stride_,
                rows_,
                sparse_ ? index_.data() : nullptr,
                sparse_ ? start_.data() : nullptr};
    }

    /// The given panels of dense layer l, in all rows.
    void forward(std::size_t l, std::size_t first, std::size_t count,
                 const kernels::DenseRule& rule, const Dropout* dropout) {
        LayerRows& out = values_[l];
        const std::size_t at = first * kLanes;
        rule.forward(layers_[l].some_means(first, count), inputs(l),
                     {out.S.data() + at, out.U.data() + at, out.stride});
        if (l + 1 == layers_.size()) return;
        for (std::size_t r = 0; r < rows_; ++r) {
            rule.activate(out.neurons(r, at), out.base[r], count * kLanes);
            if (dropout != nullptr && dropout->hidden > 0) drop(*dropout, l, r, first, count);
        }
    }

    /// A layer of trees.
    void forward_trees(std::size_t l, const kernels::TreeRule& tree, const kernels::DenseRule& rule,
                       const Dropout* dropout) {
        LayerRows& out = values_[l];
        const LayerRows& below = values_[l - 1];
        for (std::size_t r = 0; r < rows_; ++r) {
            const std::size_t at = r * out.stride;
            tree.forward_hidden(layers_[l].tree_means(), below.nu.data() + r * below.stride,
                                {out.S.data() + at, out.U.data() + at, out.nu.data() + at});
            if (l + 1 == layers_.size()) continue;
            rule.activate(out.neurons(r), kernels::kSmallest, padded(layers_[l].shape.neurons));
            if (dropout != nullptr && dropout->hidden > 0) {
                drop(*dropout, l, r, 0, layers_[l].panels());
            }
        }
    }

    /// After layer l is complete: its constant, and what layer l + 1 adds to its sums of variances.
    void finish(std::size_t l, const kernels::DenseSteps& steps) {
        if (l + 1 == layers_.size()) return;
        LayerRows& own = values_[l];
        LayerRows& above = values_[l + 1];
        const std::size_t neurons = layers_[l].shape.neurons;
        const float floor =
            kernels::kVarianceFloor * static_cast<float>(layers_[l + 1].shape.fan_in);
        for (std::size_t r = 0; r < rows_; ++r) {
            const std::size_t at = r * own.stride;
            own.nu[at + neurons] = own.squares[at + neurons] = 1;
            const float* kept = own.kept.empty() ? nullptr : own.kept.data() + at;
            above.base[r] = layers_[l + 1].is_tree()
                                ? kernels::kSmallest
                                : steps.variance_of(own.nu.data() + at, kept, neurons) + floor;
        }
    }

    /// Sparse inputs, column by column.
    kernels::SparseColumns columns() {
        by_column_.sort(start_, index_);
        entry_x_.clear();
        for (const std::size_t place : by_column_.place()) entry_x_.push_back(x_[place]);
        return {by_column_.column().data(), by_column_.start().data(), by_column_.column().size(),
                by_column_.row().data(), entry_x_.data()};
    }

  private:
    void read_sparse(const data::InputBlock& block, std::size_t first) {
        const std::size_t begin = block.row_start[first], end = block.row_start[first + rows_];
        start_.clear();
        for (std::size_t r = 0; r <= rows_; ++r) {
            start_.push_back(block.row_start[first + r] - begin);
        }
        x_.assign(block.value.begin() + static_cast<std::ptrdiff_t>(begin),
                  block.value.begin() + static_cast<std::ptrdiff_t>(end));
        index_.assign(block.index.begin() + static_cast<std::ptrdiff_t>(begin),
                      block.index.begin() + static_cast<std::ptrdiff_t>(end));
    }

    void drop_inputs(const Dropout& dropout) {
        const std::size_t inputs = layers_[0].inputs, panels = padded(inputs) / kLanes;
        float kept[kLanes];
        for (std::size_t r = 0; r < rows_; ++r) {
            std::size_t drawn = panels;  // none
            const std::size_t begin = sparse_ ? start_[r] : r * stride_;
            const std::size_t count = sparse_ ? start_[r + 1] - begin : inputs;
            for (std::size_t k = 0; k < count; ++k) {
                const std::size_t j = sparse_ ? index_[begin + k] : k;
                if (dropout.bias && j + 1 == inputs) continue;
                if (j / kLanes != drawn) dropout.draw(0, r, drawn = j / kLanes, panels, kept);
                x_[begin + k] *= kept[j % kLanes];
            }
        }
    }

    void drop(const Dropout& dropout, std::size_t l, std::size_t r, std::size_t first,
              std::size_t count) {
        LayerRows& own = values_[l];
        for (std::size_t p = first; p < first + count; ++p) {
            const std::size_t at = r * own.stride + p * kLanes;
            float* kept = own.kept.data() + at;
            dropout.draw(l + 1, r, p, layers_[l].panels(), kept);
            for (auto* each : {&own.nu, &own.squares, &own.gain}) {
                for (std::size_t k = 0; k < kLanes; ++k) (*each)[at + k] *= kept[k];
            }
        }
    }

    const std::vector<Layer>& layers_;
    std::vector<LayerRows> values_;
    std::size_t rows_ = 0, stride_ = 0;
    bool sparse_ = false;
    AlignedVector<float> x_, squares_;
    std::vector<std::uint32_t> index_;
    std::vector<std::size_t> start_;
    EntriesByColumn by_column_;
    std::vector<float> entry_x_;
};

}  // namespace bitbayes::learn::dense
