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
#include "learn/tree_share.hpp"

namespace bitbayes::learn {

namespace {

using cuda::Card;
using cuda::CardArray;
using cuda::downloaded;
using cuda::placed;

std::uint32_t whole(std::size_t n) { return static_cast<std::uint32_t>(n); }

[[noreturn]] void unavailable(const std::string& what) {
    throw Error(ErrorCode::kUnavailable, "the cuda backend " + what, "`backend` auto");
}

void check_supported(const LearnerStart& start, const Context& context) {
    const Architecture& network = start.architecture;
    if (!network.is_tree() && context.ranks->several())
        unavailable("learns dense networks in one process");
    if (network.is_tree() && network.depth() > cuda::kMaxDepth)
        unavailable("has trees of up to " + std::to_string(cuda::kMaxDepth) + " layers");
}

class CardLearner : public TreeShare {
  public:
    CardLearner(LearnerStart start, const Context& context, std::unique_ptr<Card> card)
        : TreeShare(start, context),
          gathers_(start.preprocessing != nullptr),
          card_(std::move(card)),
          inputs_(*card_, live_.size(), start.preprocessing, true) {
        eps_.put(label_noise_.eps);
        if (idle()) return;
        trees_of_card_.depth = whole(architecture_.depth());
        trees_of_card_.count = whole(trees_.count);
        trees_of_card_.backprop = !follows();
        trees_of_card_.sparse = start.sparse;
        for (std::size_t l = 0; l < architecture_.depth(); ++l) {
            trees_of_card_.layer[l] = {whole(architecture_.neurons_per_tree(l)), whole(width(l)),
                                       whole(padded(width(l)))};
        }
        plan_ = cuda::plan_lesson(trees_of_card_, card_->limits());
        together_ = cuda::plan_together(trees_of_card_, card_->limits());
        for (std::size_t l = 0; l < architecture_.depth(); ++l) take_layer(start, l);
        room_.reserve(plan_.parts * trees_.count * plan_.room_floats);
        words_.reserve(2 * trees_.count * trees_of_card_.layer[0].neurons * (follows() ? 1 : 2));
        broken_flag_.reserve(1);
    }

    unsigned threads() const override { return 1; }
    std::size_t block_rows() const override { return card_->limits().block_rows; }
    bool gathers() const override { return gathers_; }
    HeldCard hold_card() const override { return {card_.get(), std::unique_lock(mutex_)}; }
    const char* backend() const override { return "cuda"; }
    std::string where() const override {
        const std::string name = card_->limits().name + ": ";
        if (idle()) return name + "no tree";
        const std::string alone = cuda::describe(trees_of_card_, plan_),
                          beside_others = cuda::describe(trees_of_card_, together_);
        return name + alone +
               (alone == beside_others ? "" : "; beside other networks " + beside_others);
    }

  private:
    /// There are more ranks than trees.
    bool idle() const { return trees_.count == 0; }

    void learn_own(const data::InputBlock& block, std::span<const std::uint32_t> labels,
                   std::span<float> z, std::span<const float> weights) override {
        if (idle()) return;
        const std::lock_guard lock(mutex_);
        cuda::TreeLesson lesson;
        lesson.trees = trees_of_card_;
        lesson.plan = plan_;
        lesson.rows = inputs_.put(block, labels, weights);
        z_.reserve(z.size());
        lesson.z = z_.data();
        lesson.outputs = whole(outputs());
        lesson.first_tree = whole(trees_.first);
        lesson.rate = rate_;
        lesson.forgotten = forgotten_;
        lesson.samples_before = samples_seen_;
        lesson.eps = label_noise_.eps.empty() ? nullptr : eps_.data() + trees_.first;
        lesson.automatic = label_noise_.automatic;
        lesson.words = words_.data();
        lesson.turn = turn_;
        lesson.room = room_.data();
        lesson.broken = broken_flag_.data();
        card_->queue().learn(*card_, lesson, together_);
        turn_ += whole(block.rows);
        z_.get(z);
        if (label_noise_.automatic) eps_.get(label_noise_.eps);
        std::uint32_t not_finite = 0;
        broken_flag_.get({&not_finite, 1});
        if (not_finite != 0 && all_finite(z)) stop_diverged(samples_seen_ + block.rows, follows());
    }

    void answer_own(const data::InputBlock& block, std::span<float> z, unsigned) const override {
        if (idle()) return;
        const std::lock_guard lock(mutex_);
        cuda::TreeQuestion question;
        question.trees = trees_of_card_;
        question.rows = inputs_.put(block, {}, {});
        z_.reserve(z.size());
        question.z = z_.data();
        question.outputs = whole(outputs());
        question.first_tree = whole(trees_.first);
        cuda::plan_question(question, card_->limits());
        answer_room_.reserve(question.blocks() * question.room_floats);
        question.room = answer_room_.data();
        card_->answer(question);
        z_.get(z);
    }

    void refresh() override {
        if (!idle()) card_->refresh(trees_of_card_);
    }
    bool finite() const override {
        const auto& all = follows() ? h_ : w_;
        return std::all_of(all.begin(), all.end(), [&](const CardArray<float>& learned) {
            return card_->all_finite(learned.data(), learned.size());
        });
    }

    auto place(std::size_t l) const {
        return [placed_rows = l == 0 && !trees_of_card_.sparse,
                stride = trees_of_card_.layer[l].stride](std::size_t j) {
            return placed_rows ? placed(static_cast<std::uint32_t>(j), stride) : j;
        };
    }

    void take_layer(LearnerStart& start, std::size_t l) {
        LayerPosterior& from = start.posterior.layers[l];
        const auto rows = [&](const std::vector<float>& values) {
            return laid_out(l, values, place(l));
        };
        AlignedVector<float> values = rows(from.learned);
        if (l == 0) live_.keep_others(from);
        if (follows()) {
            h_.emplace_back(*card_).put(values);
            trees_of_card_.h[l] = h_.back().data();
            if (from.carried.empty()) {
                kernels::scalar().weight_means(values.data(), values.data(), values.size());
            } else {
                values = rows(from.carried);
                moved_ = true;
            }
        }
        w_.emplace_back(*card_).put(values);
        trees_of_card_.w[l] = w_.back().data();
        if (start.memory) {
            h0_.emplace_back(*card_).put(
                rows(start.posterior.prior_of_layer(l, start.seed, start.prior_scale)));
            trees_of_card_.h0[l] = h0_.back().data();
        }
        from = {};
    }

    LayerPosterior give_layer(std::size_t l, TreeRange trees) const override {
        const std::lock_guard lock(mutex_);
        LayerShape shape = architecture_.layers[l];
        shape.neurons = trees.count * architecture_.neurons_per_tree(l);
        LayerPosterior out(shape);
        if (idle()) return out;
        const std::size_t first = trees.first * architecture_.neurons_per_tree(l),
                          stride = trees_of_card_.layer[l].stride;
        const auto rows = [&](const CardArray<float>& all) {
            return downloaded(all, {first * stride, shape.neurons * stride});
        };
        give_rows(l, first, rows((follows() ? h_ : w_)[l]), live_.others(), out.learned, place(l));
        if (l == 0 && moved_) {
            out.carried.resize(shape.weights());
            give_rows(l, first, rows(w_[l]), weight_means(live_.others()), out.carried, place(l));
        }
        return out;
    }

    const bool gathers_;
    std::unique_ptr<Card> card_;
    cuda::Trees trees_of_card_;
    cuda::TreePlan plan_, together_;  // alone, and beside other networks
    std::uint32_t turn_ = 1;          // of the next row; 0 stands in words that nobody has written
    std::vector<CardArray<float>> h_, w_, h0_;
    CardArray<std::uint64_t> words_{*card_};
    CardArray<float> room_{*card_};
    CardArray<std::uint32_t> broken_flag_{*card_};
    CardArray<float> eps_{*card_};
    // One call at a time.
    mutable std::mutex mutex_;
    mutable CardInputs inputs_;
    mutable CardArray<float> answer_room_{*card_}, z_{*card_};
};

}  // namespace

std::unique_ptr<Learner> make_card_learner(LearnerStart start, const Context& context,
                                           std::unique_ptr<Card> card) {
    check_supported(start, context);
    if (!start.architecture.is_tree())
        return make_card_dense_learner(std::move(start), std::move(card));
    return std::make_unique<CardLearner>(std::move(start), context, std::move(card));
}

}  // namespace bitbayes::learn
