// Batches of rows through dense layers in the memory of a card, step by step. What a step computes stands in
// cuda/dense_steps-inl.hpp; the order of steps is that of dense_learner.cpp.
#include "learn/card_dense_learner.hpp"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "base/aligned.hpp"
#include "bitbayes/types/error.hpp"
#include "cuda/card_array.hpp"
#include "cuda/plan.hpp"
#include "kernels/table.hpp"
#include "learn/dense_batch.hpp"
#include "learn/finite.hpp"
#include "learn/forgetting.hpp"
#include "learn/live_inputs.hpp"

namespace bitbayes::learn {

namespace {

using cuda::Card;
using cuda::CardArray;
using cuda::DenseStep;
using cuda::DenseWork;
using cuda::downloaded;
using dense::Dropout;

constexpr std::size_t kAnswerRows = 1024;  // at a time

std::uint32_t whole(std::size_t n) { return static_cast<std::uint32_t>(n); }

/// A layer and its neurons in all rows of a batch.
struct CardLayer {
    cuda::DenseLayer layer;
    cuda::DenseNeurons neurons;
    CardArray<float> h, w, h0;
    CardArray<float> nu, gain, d, kept, base;

    explicit CardLayer(Card& card)
        : h(card), w(card), h0(card), nu(card), gain(card), d(card), kept(card), base(card) {}

    void reserve(std::size_t rows) {
        neurons.stride = whole(padded(layer.neurons + 1));
        for (auto* each : {&nu, &gain, &d}) each->reserve(rows * neurons.stride);
        base.reserve(rows);
        neurons.nu = nu.data();
        neurons.gain = gain.data();
        neurons.d = d.data();
        neurons.base = base.data();
    }
};

class CardDenseLearner : public Learner {
  public:
    CardDenseLearner(LearnerStart start, std::unique_ptr<Card> card)
        : architecture_(start.architecture),
          learned_by_(start.posterior.rule),
          rate_(start.rate),
          label_noise_(std::move(start.label_noise)),
          memory_(start.memory),
          practice_(start.practice),
          live_(std::move(start.live_inputs), start.architecture.inputs),
          samples_seen_(start.samples_seen),
          dropout_{practice_.drop_input, practice_.drop_hidden, start.bias, start.seed, 0},
          card_(std::move(card)) {
        for (std::size_t l = 0; l < architecture_.depth(); ++l) take_layer(start, l);
    }

    void learn(const data::InputBlock& block, std::span<const std::uint32_t> labels,
               std::span<float> z, std::span<const float> weights) override {
        check_whole(broken_);
        const std::lock_guard lock(mutex_);
        broken_ = true;  // until all is well
        const std::size_t outputs = architecture_.outputs();
        for (std::size_t first = 0; first < block.rows; first += practice_.batch) {
            const std::size_t count = std::min(practice_.batch, block.rows - first);
            const auto own_z = z.subspan(first * outputs, count * outputs);
            const auto own_labels = labels.subspan(first, count);
            const auto own_weights = weights.empty() ? weights : weights.subspan(first, count);
            dropout_.first_sample = samples_seen_;
            put_rows(block, first, count, true);
            put_facts(own_labels, own_weights);
            put_kept(count);
            forward(count, true);
            backward(count);
            const std::uint64_t steps = refreshes(samples_seen_ + count) - refreshes(samples_seen_);
            if (memory_ && steps > 0) forget(steps * kernels::kRefreshEvery);
            z_.get(own_z);
            if (!all_finite(own_z)) stop_diverged(samples_seen_ + count, mfb());
            for (std::size_t r = 0; r < count; ++r) {
                label_noise_.follow(own_z.subspan(r * outputs, outputs), own_labels[r],
                                    own_weights.empty() ? 1 : own_weights[r]);
            }
            samples_seen_ += count;
        }
        broken_ = false;
    }

    void answer(const data::InputBlock& block, std::span<float> z, unsigned) const override {
        check_whole(broken_);
        const std::lock_guard lock(mutex_);
        const std::size_t outputs = architecture_.outputs();
        for (std::size_t first = 0; first < block.rows; first += kAnswerRows) {
            const std::size_t count = std::min(kAnswerRows, block.rows - first);
            put_rows(block, first, count, false);
            forward(count, false);
            z_.get(z.subspan(first * outputs, count * outputs));
        }
    }

    void end_epoch() override {
        check_whole(broken_);
        for (const CardLayer& each : layers_) {
            if (all_finite(downloaded(learned(each)))) continue;
            broken_ = true;
            stop_diverged(samples_seen_, mfb());
        }
    }

    void set_rate(float rate) override { rate_ = rate; }
    std::uint64_t samples_seen() const override { return samples_seen_; }
    const LabelNoise& label_noise() const override { return label_noise_; }
    TreeRange trees() const override { return {0, architecture_.outputs()}; }

    Posterior posterior() const override {
        check_whole(broken_);
        const std::lock_guard lock(mutex_);
        Posterior result;
        result.rule = learned_by_;
        for (std::size_t l = 0; l < layers_.size(); ++l) result.layers.push_back(give_layer(l));
        return result;
    }
    Posterior posterior(TreeRange some) const override {
        if (some == trees()) return posterior();
        throw Error(ErrorCode::kInternal, "the outputs of a dense network are no trees");
    }

    unsigned threads() const override { return 1; }
    bool elsewhere() const override { return true; }
    const char* backend() const override { return "cuda"; }
    std::string where() const override { return card_->limits().name; }

  private:
    bool mfb() const { return learned_by_.algorithm == Algorithm::kMfb; }
    const CardArray<float>& learned(const CardLayer& layer) const {
        return mfb() ? layer.h : layer.w;
    }
    std::size_t width(std::size_t l) const {
        return l == 0 ? live_.size() : architecture_.layers[l].fan_in;
    }

    /// Neurons x fan_in as the card has them: inputs x stride.
    AlignedVector<float> laid_out(std::size_t l, const std::vector<float>& rows) const {
        const LayerShape& shape = architecture_.layers[l];
        const std::size_t stride = padded(shape.neurons);
        AlignedVector<float> out(width(l) * stride, 0.0f);
        for (std::size_t i = 0; i < shape.neurons; ++i) {
            const float* row = rows.data() + i * shape.fan_in;
            for (std::size_t j = 0; j < width(l); ++j) {
                out[j * stride + i] = row[l == 0 ? live_[j] : j];
            }
        }
        return out;
    }

    void take_layer(LearnerStart& start, std::size_t l) {
        LayerPosterior& from = start.posterior.layers[l];
        if (l == 0) live_.keep_others(from);
        CardLayer& to = layers_.emplace_back(*card_);
        AlignedVector<float> values = laid_out(l, from.learned);
        if (mfb()) {
            to.h.put(values);
            kernels::scalar().weight_means(values.data(), values.data(), values.size());
        }
        to.w.put(values);
        if (memory_) {
            to.h0.put(
                laid_out(l, start.posterior.prior_of_layer(l, start.seed, start.prior_scale)));
        }
        const std::size_t neurons = architecture_.layers[l].neurons;
        to.layer = {whole(width(l)), whole(neurons), whole(padded(neurons)),
                    to.h.data(),     to.w.data(),    memory_ ? to.h0.data() : nullptr};
        from = {};
    }

    LayerPosterior give_layer(std::size_t l) const {
        const LayerShape& shape = architecture_.layers[l];
        LayerPosterior out(shape);
        const std::vector<float> values = downloaded(learned(layers_[l]));
        const std::size_t stride = layers_[l].layer.stride;
        for (std::size_t i = 0; i < shape.neurons; ++i) {
            float* row = out.learned.data() + i * shape.fan_in;
            const auto number = [&](std::size_t j) { return values[j * stride + i]; };
            if (l == 0) {
                live_.merge(number,
                            std::span(live_.others()).subspan(i * live_.others_per_neuron()), row);
            } else {
                for (std::size_t j = 0; j < shape.fan_in; ++j) row[j] = number(j);
            }
        }
        return out;
    }

    /// Inputs of layer 1, and what they add to its variances.
    void put_rows(const data::InputBlock& block, std::size_t first, std::size_t count,
                  bool drops) const {
        for (CardLayer& each : layers_) each.reserve(count);
        x_on_host_.assign(
            block.value.begin() + static_cast<std::ptrdiff_t>(first * block.stride),
            block.value.begin() + static_cast<std::ptrdiff_t>((first + count) * block.stride));
        if (drops && dropout_.input > 0) drop_inputs(block.stride, count);
        std::vector<float> base(count);
        for (std::size_t r = 0; r < count; ++r) {
            kernels::InputRow row{.x = x_on_host_.data() + r * block.stride, .count = block.stride};
            kernels::best().measure(row);
            base[r] = kernels::kVarianceFloor * row.square_sum + kernels::kSmallest;
        }
        x_.put(x_on_host_);
        layers_[0].base.put(base);
        x_stride_ = block.stride;
        z_.reserve(count * architecture_.outputs());
    }

    void drop_inputs(std::size_t stride, std::size_t count) const {
        const std::size_t inputs = live_.size(), panels = padded(inputs) / kLanes;
        float kept[kLanes];
        for (std::size_t r = 0; r < count; ++r) {
            for (std::size_t j = 0; j < inputs; ++j) {
                if (j % kLanes == 0) dropout_.draw(0, r, j / kLanes, panels, kept);
                if (dropout_.bias && j + 1 == inputs) continue;
                x_on_host_[r * stride + j] *= kept[j % kLanes];
            }
        }
    }

    void put_facts(std::span<const std::uint32_t> labels, std::span<const float> weights) {
        std::vector<cuda::RowFacts> facts(labels.size());
        for (std::size_t r = 0; r < facts.size(); ++r) {
            facts[r].label = labels[r];
            facts[r].weight = weights.empty() ? 1 : weights[r];
        }
        facts_.put(facts);
        eps_.put(label_noise_.eps);
    }

    /// Which hidden neurons each row keeps.
    void put_kept(std::size_t count) {
        if (dropout_.hidden == 0) return;
        for (std::size_t l = 0; l + 1 < layers_.size(); ++l) {
            CardLayer& own = layers_[l];
            const std::size_t stride = own.neurons.stride, panels = own.layer.stride / kLanes;
            std::vector<float> kept(count * stride);
            for (std::size_t r = 0; r < count; ++r) {
                for (std::size_t p = 0; p < panels; ++p) {
                    dropout_.draw(l + 1, r, p, panels, kept.data() + r * stride + p * kLanes);
                }
            }
            own.kept.put(kept);
        }
    }

    void run(DenseWork& work, DenseStep step) const {
        work.step = step;
        card_->run(work, cuda::plan_work(work));
    }

    DenseWork work_of(std::size_t l, std::size_t rows, bool learns) const {
        DenseWork work;
        work.rows = whole(rows);
        work.layer = layers_[l].layer;
        work.own = layers_[l].neurons;
        if (learns && dropout_.hidden > 0) work.own.kept = layers_[l].kept.data();
        if (l > 0) {
            work.below = layers_[l - 1].neurons;
            work.below_neurons = layers_[l - 1].layer.neurons;
        } else {
            work.below.nu = x_.data();
            work.below.stride = whole(x_stride_);
        }
        work.backprop = !mfb();
        work.rate = mfb() ? rate_ : rate_ / static_cast<float>(rows);  // the mean gradient
        return work;
    }

    /// `learns`: d of the outputs too.
    void forward(std::size_t rows, bool learns) const {
        for (std::size_t l = 0; l < layers_.size(); ++l) {
            DenseWork work = work_of(l, rows, learns);
            if (l + 1 == layers_.size()) {
                work.z = z_.data();
                work.facts = facts_.data();
                work.eps = label_noise_.eps.empty() ? nullptr : eps_.data();
                if (!learns) work.own.d = nullptr;
                run(work, DenseStep::kTop);
                continue;
            }
            run(work, DenseStep::kForward);
            if (!mfb()) continue;
            work.base_above = layers_[l + 1].base.data();
            work.floor_above =
                kernels::kVarianceFloor * static_cast<float>(layers_[l + 1].layer.inputs);
            run(work, DenseStep::kVariance);
        }
    }

    /// All messages, then all updates.
    void backward(std::size_t rows) {
        for (std::size_t l = layers_.size() - 1; l > 0; --l) {
            DenseWork work = work_of(l, rows, true);
            run(work, rows < cuda::kFewRows ? DenseStep::kMessageFew : DenseStep::kMessage);
        }
        for (std::size_t l = 0; l < layers_.size(); ++l) {
            DenseWork work = work_of(l, rows, true);
            run(work, DenseStep::kUpdate);
        }
    }

    static std::uint64_t refreshes(std::uint64_t samples) {
        return samples / kernels::kRefreshEvery;
    }

    void forget(std::uint64_t samples) {
        for (std::size_t l = 0; l < layers_.size(); ++l) {
            DenseWork work = work_of(l, 0, true);
            work.forgotten = forgotten_share(memory_, samples);
            run(work, DenseStep::kForget);
        }
    }

    const Architecture architecture_;
    const Rule learned_by_;
    float rate_;
    LabelNoise label_noise_;
    const std::optional<std::uint64_t> memory_;
    const Practice practice_;
    LiveInputs live_;  // inputs of layer 1 that the card holds
    std::uint64_t samples_seen_;
    bool broken_ = false;  // learn() has thrown
    Dropout dropout_;
    std::unique_ptr<Card> card_;
    CardArray<cuda::RowFacts> facts_{*card_};
    CardArray<float> eps_{*card_};
    // One call at a time.
    mutable std::mutex mutex_;
    mutable std::vector<CardLayer> layers_;
    mutable CardArray<float> x_{*card_}, z_{*card_};
    mutable AlignedVector<float> x_on_host_;
    mutable std::size_t x_stride_ = 0;
};

}  // namespace

std::unique_ptr<Learner> make_card_dense_learner(LearnerStart start, std::unique_ptr<Card> card) {
    return std::make_unique<CardDenseLearner>(std::move(start), std::move(card));
}

}  // namespace bitbayes::learn
