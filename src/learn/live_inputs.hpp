// Layer 1 of a learner holds the weights of live inputs only (data/preprocess.hpp); those of the others
// never move and are kept aside.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "learn/posterior.hpp"

namespace bitbayes::learn {

class LiveInputs {
  public:
    /// Unset: all inputs are live.
    LiveInputs(std::optional<std::vector<std::uint32_t>> live, std::size_t inputs)
        : inputs_(inputs) {
        if (live) {
            live_ = std::move(*live);
        } else {
            live_.resize(inputs);
            std::iota(live_.begin(), live_.end(), 0u);
        }
    }

    std::size_t size() const { return live_.size(); }
    std::uint32_t operator[](std::size_t k) const { return live_[k]; }

    /// Keeps the learned numbers of inputs that are not live.
    void keep_others(const LayerPosterior& from) {
        if (size() == inputs_) return;
        std::vector<bool> is_live(inputs_, false);
        for (const std::uint32_t j : live_) is_live[j] = true;
        for (std::size_t i = 0; i < from.shape.neurons; ++i) {
            for (std::size_t j = 0; j < inputs_; ++j) {
                if (!is_live[j]) others_.push_back(from.row(i)[j]);
            }
        }
    }

    /// Of all neurons, row by row.
    const std::vector<float>& others() const { return others_; }

    /// A neuron's whole row: live(k) is the number of the k-th live input, `others` has those of
    /// this neuron and all after it.
    template <class Live>
    void merge(const Live& live, std::span<const float> others, float* row) const {
        for (std::size_t j = 0, k = 0; j < inputs_; ++j) {
            const bool is_live = k < size() && live_[k] == j;
            row[j] = is_live ? live(k) : others[j - k];
            k += is_live;
        }
    }
    std::size_t others_per_neuron() const { return inputs_ - size(); }

  private:
    std::size_t inputs_;
    std::vector<std::uint32_t> live_;
    std::vector<float> others_;
};

}  // namespace bitbayes::learn
