// Blocks of rows through trees in the memory of a card. What the card computes stands in cuda/tree_block-inl.hpp; here is what goes
// there and comes back. Layer 1 holds the live inputs of rows only, as on the CPU (tree_learner.cpp).
#include "learn/card_learner.hpp"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "base/aligned.hpp"
#include "bitbayes/types/error.hpp"
#include "cuda/card_array.hpp"
#include "cuda/plan.hpp"
#include "kernels/table.hpp"
#include "learn/card_dense_learner.hpp"
#include "learn/card_inputs.hpp"
#include "learn/finite.hpp"
#include "learn/forgetting.hpp"
#include "learn/live_inputs.hpp"

namespace bitbayes::learn {

namespace {

using cuda::Card;
using cuda::CardArray;
using cuda::downloaded;
using cuda::placed;

[[noreturn]] void unavailable(const std::string& what) {
    throw Error(ErrorCode::kUnavailable, "the cuda backend " + what, "`backend` auto");
}

void check_supported(const LearnerStart& start, const Context& context) {
    const Architecture& network = start.architecture;
    if (context.ranks->several()) unavailable("does not run on several ranks");
    if (network.is_tree() && network.depth() > cuda::kMaxDepth) {
        unavailable("has trees of up to " + std::to_string(cuda::kMaxDepth) + " layers");
    }
}

class CardLearner : public Learner {
  public:
    CardLearner(LearnerStart start, std::unique_ptr<Card> card)
        : architecture_(start.architecture),
          learned_by_(start.posterior.rule),
          rate_(start.rate),
          label_noise_(std::move(start.label_noise)),
          forgotten_(forgotten_share(start.memory, kernels::kRefreshEvery)),
          live_(std::move(start.live_inputs), start.architecture.inputs),
          gathers_(start.preprocessing != nullptr),
          samples_seen_(start.samples_seen),
          card_(std::move(card)),
          inputs_(*card_, live_.size(), start.preprocessing) {
        trees_.depth = static_cast<std::uint32_t>(architecture_.depth());
        trees_.count = static_cast<std::uint32_t>(architecture_.outputs());
        trees_.backprop = !mfb();
        trees_.sparse = start.sparse;
        for (std::size_t l = 0; l < architecture_.depth(); ++l) set_shape(l);
        plan_ = cuda::plan_lesson(trees_, card_->limits());
        together_ = cuda::plan_together(trees_, card_->limits());
        for (std::size_t l = 0; l < architecture_.depth(); ++l) take_layer(start, l);
        words_.reserve(2 * trees_.count * trees_.layer[0].neurons * (mfb() ? 1 : 2));
        broken_flag_.reserve(1);
        eps_.put(label_noise_.eps);
    }

    void learn(const data::InputBlock& block, std::span<const std::uint32_t> labels,
               std::span<float> z, std::span<const float> weights) override {
        check_whole(broken_);
        if (block.rows == 0) return;
        const std::lock_guard lock(mutex_);
        broken_ = true;  // until all is well
        cuda::TreeLesson lesson;
        lesson.trees = trees_;
        lesson.plan = plan_;
        lesson.rows = inputs_.put(block, labels, weights);
        z_.reserve(z.size());
        lesson.z = z_.data();
        lesson.outputs = trees_.count;
        lesson.rate = rate_;
        lesson.forgotten = forgotten_;
        lesson.samples_before = samples_seen_;
        lesson.eps = label_noise_.eps.empty() ? nullptr : eps_.data();
        lesson.automatic = label_noise_.automatic;
        lesson.words = words_.data();
        lesson.turn = turn_;
        lesson.broken = broken_flag_.data();
        card_->queue().learn(*card_, lesson, together_);
        turn_ += static_cast<std::uint32_t>(block.rows);
        z_.get(z);
        if (label_noise_.automatic) eps_.get(label_noise_.eps);
        check_outputs(z);
        std::uint32_t not_finite = 0;
        broken_flag_.get({&not_finite, 1});
        if (not_finite != 0) stop_diverged(samples_seen_ + block.rows, mfb());
        samples_seen_ += block.rows;
        moved_ = mfb() && !trees_.sparse && samples_seen_ % kernels::kRefreshEvery != 0;
        broken_ = false;
    }

    void answer(const data::InputBlock& block, std::span<float> z, unsigned) const override {
        check_whole(broken_);
        if (block.rows == 0) return;
        const std::lock_guard lock(mutex_);
        cuda::TreeQuestion question;
        question.trees = trees_;
        question.rows = inputs_.put(block, {}, {});
        z_.reserve(z.size());
        question.z = z_.data();
        question.outputs = trees_.count;
        cuda::plan_question(question, card_->limits());
        card_->answer(question);
        z_.get(z);
    }

    void end_epoch() override {
        check_whole(broken_);
        if (moved_) card_->refresh(trees_);
        moved_ = false;
        for (std::size_t l = 0; l < architecture_.depth(); ++l) {
            if (card_->all_finite(learned(l).data(), learned(l).size())) continue;
            broken_ = true;
            stop_diverged(samples_seen_, mfb());
        }
    }

    void set_rate(float rate) override { rate_ = rate; }
    std::uint64_t samples_seen() const override { return samples_seen_; }
    const LabelNoise& label_noise() const override { return label_noise_; }
    TreeRange trees() const override { return {0, architecture_.outputs()}; }
    Posterior posterior() const override { return posterior(trees()); }

    Posterior posterior(TreeRange some) const override {
        check_whole(broken_);
        const std::lock_guard lock(mutex_);
        Posterior result;
        result.rule = learned_by_;
        result.first_tree = some.first;
        for (std::size_t l = 0; l < architecture_.depth(); ++l)
            result.layers.push_back(give_layer(l, some));
        return result;
    }

    unsigned threads() const override { return 1; }
    std::size_t block_rows() const override { return card_->limits().block_rows; }
    bool gathers() const override { return gathers_; }
    HeldCard hold_card() const override { return {card_.get(), std::unique_lock(mutex_)}; }
    const char* backend() const override { return "cuda"; }
    std::string where() const override {
        return card_->limits().name + ": " + cuda::describe(plan_);
    }

  private:
    bool mfb() const { return learned_by_.algorithm == Algorithm::kMfb; }
    const CardArray<float>& learned(std::size_t l) const { return mfb() ? h_[l] : w_[l]; }
    std::size_t width(std::size_t l) const {
        return l == 0 ? live_.size() : architecture_.layers[l].fan_in;
    }

    void set_shape(std::size_t l) {
        trees_.layer[l] = {static_cast<std::uint32_t>(architecture_.neurons_per_tree(l)),
                           static_cast<std::uint32_t>(width(l)),
                           static_cast<std::uint32_t>(padded(width(l)))};
    }

    std::size_t place(std::size_t l, std::size_t j) const {
        if (l > 0 || trees_.sparse) return j;
        return placed(static_cast<std::uint32_t>(j), trees_.layer[0].stride);
    }

    /// Neurons x fan_in as the card has them.
    AlignedVector<float> laid_out(std::size_t l, const std::vector<float>& rows) const {
        const LayerShape& shape = architecture_.layers[l];
        const std::size_t stride = trees_.layer[l].stride;
        AlignedVector<float> out(shape.neurons * stride, 0.0f);
        for (std::size_t i = 0; i < shape.neurons; ++i) {
            const float* row = rows.data() + i * shape.fan_in;
            for (std::size_t j = 0; j < width(l); ++j)
                out[i * stride + place(l, j)] = row[l == 0 ? live_[j] : j];
        }
        return out;
    }

    void take_layer(LearnerStart& start, std::size_t l) {
        LayerPosterior& from = start.posterior.layers[l];
        AlignedVector<float> values = laid_out(l, from.learned);
        if (l == 0) live_.keep_others(from);
        if (mfb()) {
            h_.emplace_back(*card_).put(values);
            trees_.h[l] = h_.back().data();
            if (from.carried.empty()) {
                kernels::scalar().weight_means(values.data(), values.data(), values.size());
            } else {
                values = laid_out(l, from.carried);
                moved_ = true;
            }
        }
        w_.emplace_back(*card_).put(values);
        trees_.w[l] = w_.back().data();
        if (start.memory) {
            h0_.emplace_back(*card_).put(
                laid_out(l, start.posterior.prior_of_layer(l, start.seed, start.prior_scale)));
            trees_.h0[l] = h0_.back().data();
        }
        from = {};
    }

    LayerPosterior give_layer(std::size_t l, TreeRange trees) const {
        LayerShape shape = architecture_.layers[l];
        shape.neurons = trees.count * trees_.layer[l].neurons;
        LayerPosterior out(shape);
        const std::size_t first = trees.first * trees_.layer[l].neurons;
        copy_rows(l, first, downloaded(learned(l)), live_.others(), out.learned, shape);
        if (l == 0 && moved_) {
            out.carried.resize(shape.weights());
            copy_rows(l, first, downloaded(w_[l]), weight_means(live_.others()), out.carried,
                      shape);
        }
        return out;
    }

    void copy_rows(std::size_t l, std::size_t first, const std::vector<float>& from,
                   std::span<const float> others, std::vector<float>& to,
                   const LayerShape& shape) const {
        for (std::size_t i = 0; i < shape.neurons; ++i) {
            const float* row = from.data() + (first + i) * trees_.layer[l].stride;
            float* out = to.data() + i * shape.fan_in;
            if (l > 0) {
                std::copy_n(row, shape.fan_in, out);
            } else {
                live_.merge([&](std::size_t k) { return row[place(0, k)]; },
                            others.subspan((first + i) * live_.others_per_neuron()), out);
            }
        }
    }

    void check_outputs(std::span<const float> z) const {
        if (all_finite(z)) return;
        std::size_t row = 0;
        while (all_finite(z.first((row + 1) * architecture_.outputs()))) ++row;
        stop_diverged(samples_seen_ + row + 1, mfb());
    }

    const Architecture architecture_;
    const Rule learned_by_;
    float rate_;
    LabelNoise label_noise_;
    const float forgotten_;  // share of what was learned, at each refresh
    LiveInputs live_;        // inputs of layer 1 that the card holds
    const bool gathers_;
    std::uint64_t samples_seen_;
    bool moved_ = false;   // w of layer 1 has moved since the last refresh
    bool broken_ = false;  // learn() has thrown
    std::unique_ptr<Card> card_;
    cuda::Trees trees_;
    cuda::TreePlan plan_, together_;  // alone, and beside other networks
    std::uint32_t turn_ = 1;          // of the next row; 0 stands in words that nobody has written
    std::vector<CardArray<float>> h_, w_, h0_;
    CardArray<std::uint64_t> words_{*card_};
    CardArray<std::uint32_t> broken_flag_{*card_};
    CardArray<float> eps_{*card_};
    // One call at a time.
    mutable std::mutex mutex_;
    mutable CardInputs inputs_;
    mutable CardArray<float> z_{*card_};
};

}  // namespace

std::unique_ptr<Learner> make_card_learner(LearnerStart start, const Context& context,
                                           std::unique_ptr<Card> card) {
    check_supported(start, context);
    if (!start.architecture.is_tree())
        return make_card_dense_learner(std::move(start), std::move(card));
    return std::make_unique<CardLearner>(std::move(start), std::move(card));
}

}  // namespace bitbayes::learn
