// What learners of trees have in common, wherever they run: the trees of this rank, what ranks tell each other, and how weights are laid
// out.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/aligned.hpp"
#include "learn/learner.hpp"
#include "learn/live_inputs.hpp"

namespace bitbayes::learn {

class TreeShare : public Learner {
  public:
    void learn(const data::InputBlock& block, std::span<const std::uint32_t> labels,
               std::span<float> z, std::span<const float> weights) final;
    void answer(const data::InputBlock& block, std::span<float> z, unsigned threads) const final;
    void end_epoch() final;
    void set_rate(float rate) final { rate_ = rate; }
    std::uint64_t samples_seen() const final { return samples_seen_; }
    const LabelNoise& label_noise() const final { return label_noise_; }
    TreeRange trees() const final { return trees_; }
    Posterior posterior() const final { return posterior(trees_); }
    Posterior posterior(TreeRange some) const final;

  protected:
    /// Keeps of the posterior what belongs to this rank's trees.
    TreeShare(LearnerStart& start, const Context& context);

    /// The block through this rank's trees: z of their outputs, and their label noise.
    virtual void learn_own(const data::InputBlock& block, std::span<const std::uint32_t> labels,
                           std::span<float> z, std::span<const float> weights) = 0;
    virtual void answer_own(const data::InputBlock& block, std::span<float> z,
                            unsigned threads) const = 0;
    /// w = tanh h of layer 1.
    virtual void refresh() = 0;
    virtual bool finite() const = 0;
    /// Of some of this rank's trees, counted from its first one. With `carried` if w of layer 1 has moved.
    virtual LayerPosterior give_layer(std::size_t l, TreeRange trees) const = 0;

    bool follows() const { return learned_by_.carried.size() > 0; }  // w is a function of h
    std::size_t outputs() const { return architecture_.outputs(); }
    /// Inputs of a neuron that are held here.
    std::size_t width(std::size_t l) const {
        return l == 0 ? live_.size() : architecture_.layers[l].fan_in;
    }

    /// Weights as a file has them in rows of padded(width(l)) floats; that of input j is at place(j).
    template <class Place>
    AlignedVector<float> laid_out(std::size_t l, const std::vector<float>& values,
                                  const Place& place) const {
        const std::size_t fan_in = architecture_.layers[l].fan_in, stride = padded(width(l)),
                          neurons = values.size() / fan_in;
        AlignedVector<float> out(neurons * stride, 0.0f);
        for (std::size_t i = 0; i < neurons; ++i) {
            for (std::size_t j = 0; j < width(l); ++j)
                out[i * stride + place(j)] = values[i * fan_in + (l == 0 ? live_[j] : j)];
        }
        return out;
    }

    /// The reverse, for neurons from `first` on, where `rows` begins: `others` has the inputs of layer 1 that are not held here, of
    /// all neurons.
    template <class Place>
    void give_rows(std::size_t l, std::size_t first, std::span<const float> rows,
                   std::span<const float> others, std::vector<float>& to,
                   const Place& place) const {
        const std::size_t fan_in = architecture_.layers[l].fan_in, stride = padded(width(l));
        for (std::size_t i = 0; i < to.size() / fan_in; ++i) {
            const float* row = rows.data() + i * stride;
            float* out = to.data() + i * fan_in;
            if (l > 0) {
                for (std::size_t j = 0; j < fan_in; ++j) out[j] = row[place(j)];
            } else {
                live_.merge([&](std::size_t k) { return row[place(k)]; },
                            others.subspan((first + i) * live_.others_per_neuron()), out);
            }
        }
    }

    const Architecture architecture_;  // of the whole network
    dist::Communicator& ranks_;
    const TreeRange trees_;  // of this rank
    const Rule learned_by_;
    float rate_;
    LabelNoise label_noise_;
    const float forgotten_;  // share of what was learned, at each refresh
    const bool sparse_;
    LiveInputs live_;  // inputs of layer 1 that are held here
    std::uint64_t samples_seen_;
    bool moved_ = false;                // w of layer 1 has moved since the last refresh
    std::atomic<bool> broken_ = false;  // learn() has thrown

  private:
    void exchange(std::span<float> z) const;
    void check_outputs(std::span<const float> z);
    [[noreturn]] void diverged(std::uint64_t samples);
};

}  // namespace bitbayes::learn
