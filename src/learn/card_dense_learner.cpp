// Batches of rows through dense layers in the memory of a card, step by step. What a step computes stands in
// cuda/dense_steps-inl.hpp; the order of steps is that of dense_learner.cpp.
#include "learn/card_dense_learner.hpp"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "base/aligned.hpp"
#include "base/range.hpp"
#include "bitbayes/types/error.hpp"
#include "cuda/card_array.hpp"
#include "cuda/plan.hpp"
#include "kernels/table.hpp"
#include "learn/card_inputs.hpp"
#include "learn/dense_batch.hpp"
#include "learn/entries_by_column.hpp"
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
    CardArray<float> nu, gain, d, base;

    explicit CardLayer(Card& card)
        : h(card), w(card), h0(card), nu(card), gain(card), d(card), base(card) {}

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
          sparse_(start.sparse),
          gathers_(start.preprocessing != nullptr),
          card_(std::move(card)),
          inputs_(*card_, live_.size(), start.preprocessing, false) {
        for (std::size_t l = 0; l < architecture_.depth(); ++l) take_layer(start, l);
        eps_.put(label_noise_.eps);
    }

    void learn(const data::InputBlock& block, std::span<const std::uint32_t> labels,
               std::span<float> z, std::span<const float> weights) override {
        check_whole(broken_);
        if (block.rows == 0) return;
        const std::lock_guard lock(mutex_);
        broken_ = true;  // until all is well
        put_rows(block, labels, weights, true);
        const std::uint64_t before = samples_seen_;
        for (std::size_t first = 0; first < block.rows; first += practice_.batch) {
            const Range rows{first, std::min(practice_.batch, block.rows - first)};
            forward(rows, true);
            send(rows);
            if (sparse_) sort_entries(block, rows);
            update(rows);
            const std::uint64_t steps =
                refreshes(samples_seen_ + rows.count) - refreshes(samples_seen_);
            if (memory_ && steps > 0) forget(steps * kernels::kRefreshEvery);
            samples_seen_ += rows.count;
            if (label_noise_.automatic) follow(rows, labels, weights, z);
        }
        z_.get(z);
        check_outputs(z, before);
        broken_ = false;
    }

    void answer(const data::InputBlock& block, std::span<float> z, unsigned) const override {
        check_whole(broken_);
        if (block.rows == 0) return;
        const std::lock_guard lock(mutex_);
        put_rows(block, {}, {}, false);
        for (std::size_t first = 0; first < block.rows; first += kAnswerRows)
            forward({first, std::min(kAnswerRows, block.rows - first)}, false);
        z_.get(z);
    }

    void end_epoch() override {
        check_whole(broken_);
        for (const CardLayer& each : layers_) {
            if (card_->all_finite(learned(each).data(), learned(each).size())) continue;
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
    std::size_t block_rows() const override { return card_->limits().block_rows; }
    bool gathers() const override { return gathers_; }
    HeldCard hold_card() const override { return {card_.get(), std::unique_lock(mutex_)}; }
    const char* backend() const override { return "cuda"; }
    std::string where() const override {
        std::string text = card_->limits().name;
        for (std::size_t l = 0; l < layers_.size(); ++l) {
            DenseWork work;
            work.step = forward_step(l);
            work.rows = whole(practice_.batch);
            work.layer = layers_[l].layer;
            work.backprop = !mfb();
            text += (l == 0 ? ": layer 1 " : "; layer " + std::to_string(l + 1) + " ") +
                    cuda::describe(work, card_->limits());
        }
        return text;
    }

  private:
    bool mfb() const { return learned_by_.algorithm == Algorithm::kMfb; }
    const CardArray<float>& learned(const CardLayer& layer) const {
        return mfb() ? layer.h : layer.w;
    }
    std::size_t width(std::size_t l) const {
        return l == 0 ? live_.size() : architecture_.layers[l].fan_in;
    }

    bool is_tree(std::size_t l) const {
        return architecture_.layers[l].connectivity == Connectivity::kTree;
    }
    DenseStep forward_step(std::size_t l) const {
        const bool top = l + 1 == architecture_.depth();
        if (is_tree(l)) return top ? DenseStep::kTreeTop : DenseStep::kTreeForward;
        if (top) return DenseStep::kTop;
        return l == 0 && sparse_ ? DenseStep::kSparseForward : DenseStep::kForward;
    }
    cuda::DenseLayer shape_of(std::size_t l) const {
        const std::size_t neurons = architecture_.layers[l].neurons;
        return {whole(width(l)), whole(neurons), whole(padded(is_tree(l) ? width(l) : neurons)),
                is_tree(l)};
    }
    /// Of the weight of neuron i and its input j.
    static std::size_t place(const cuda::DenseLayer& layer, std::size_t i, std::size_t j) {
        return layer.tree ? i * layer.stride + j : j * layer.stride + i;
    }

    /// Neurons x fan_in as the card has them.
    AlignedVector<float> laid_out(std::size_t l, const std::vector<float>& rows) const {
        const LayerShape& shape = architecture_.layers[l];
        const cuda::DenseLayer layer = shape_of(l);
        AlignedVector<float> out(layer.floats(), 0.0f);
        for (std::size_t i = 0; i < shape.neurons; ++i) {
            const float* row = rows.data() + i * shape.fan_in;
            for (std::size_t j = 0; j < width(l); ++j)
                out[place(layer, i, j)] = row[l == 0 ? live_[j] : j];
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
        to.layer = shape_of(l);
        to.layer.h = to.h.data();
        to.layer.w = to.w.data();
        to.layer.h0 = memory_ ? to.h0.data() : nullptr;
        from = {};
    }

    LayerPosterior give_layer(std::size_t l) const {
        const LayerShape& shape = architecture_.layers[l];
        LayerPosterior out(shape);
        const std::vector<float> values = downloaded(learned(layers_[l]));
        const cuda::DenseLayer& layer = layers_[l].layer;
        const auto row = [&](std::size_t i) { return out.learned.data() + i * shape.fan_in; };
        if (l == 0) {
            for (std::size_t i = 0; i < shape.neurons; ++i) {
                live_.merge([&](std::size_t j) { return values[place(layer, i, j)]; },
                            std::span(live_.others()).subspan(i * live_.others_per_neuron()),
                            row(i));
            }
            return out;
        }
        // Neurons that share lines of the cache together: a quarter of the time.
        for (std::size_t first = 0; first < shape.neurons; first += kLanes) {
            const std::size_t end = std::min(first + kLanes, shape.neurons);
            for (std::size_t j = 0; j < shape.fan_in; ++j) {
                for (std::size_t i = first; i < end; ++i) row(i)[j] = values[place(layer, i, j)];
            }
        }
        return out;
    }

    cuda::CardDropout dropout_of(std::size_t layer, std::size_t places, std::uint64_t first) const {
        return {dropout_.limit(layer),       whole(layer),  whole(padded(places) / kLanes),
                layer == 0 && dropout_.bias, dropout_.seed, first};
    }

    /// Inputs of layer 1, and what they add to its variances.
    void put_rows(const data::InputBlock& block, std::span<const std::uint32_t> labels,
                  std::span<const float> weights, bool learns) const {
        for (CardLayer& each : layers_)
            each.reserve(std::min(block.rows, learns ? practice_.batch : kAnswerRows));
        base_.reserve(block.rows);
        z_.reserve(block.rows * architecture_.outputs());
        x_stride_ = block.stride;
        const auto dropout =
            learns ? dropout_of(0, live_.size(), samples_seen_) : cuda::CardDropout();
        rows_ = inputs_.put(block, labels, weights, dropout, base_.data());
    }

    /// Entries of a batch, column by column, while the card works on what was asked for before.
    void sort_entries(const data::InputBlock& block, Range rows) {
        by_column_.sort(std::span(block.row_start).subspan(rows.first, rows.count + 1),
                        block.index);
        column_.put(by_column_.column());
        column_start_.put(by_column_.start());
        entry_row_.put(by_column_.row());
        entry_place_.put(by_column_.place());
    }

    /// The label noise after a batch: `labels`, `weights` and z are those of all rows.
    void follow(Range rows, std::span<const std::uint32_t> labels, std::span<const float> weights,
                std::span<float> z) {
        const std::size_t outputs = architecture_.outputs(), at = rows.first * outputs;
        card_->download(z.data() + at, z_.data() + at, rows.count * outputs * sizeof(float));
        for (std::size_t r = rows.first; r < rows.end(); ++r) {
            label_noise_.follow(z.subspan(r * outputs, outputs), labels[r],
                                weights.empty() ? 1 : weights[r]);
        }
        eps_.put(label_noise_.eps);
    }

    /// `before`: samples that were seen before the first of these.
    void check_outputs(std::span<const float> z, std::uint64_t before) const {
        const std::size_t batch = practice_.batch * architecture_.outputs();
        for (std::size_t first = 0; first < z.size(); first += batch) {
            const std::size_t end = std::min(first + batch, z.size());
            if (!all_finite(z.subspan(first, end - first)))
                stop_diverged(before + end / architecture_.outputs(), mfb());
        }
    }

    void run(DenseWork& work, DenseStep step) const {
        work.step = step;
        card_->run(work, cuda::plan_work(work, card_->limits()));
    }

    DenseWork work_of(std::size_t l, Range rows, bool learns) const {
        DenseWork work;
        work.rows = whole(rows.count);
        work.layer = layers_[l].layer;
        work.own = layers_[l].neurons;
        if (learns && l + 1 < layers_.size())
            work.dropout = dropout_of(l + 1, work.layer.neurons, samples_seen_);
        if (l > 0) {
            work.below = layers_[l - 1].neurons;
            work.below_neurons = layers_[l - 1].layer.neurons;
        } else if (sparse_) {
            work.own.base = base_.data() + rows.first;
            work.below.nu = const_cast<float*>(rows_.x);
            work.sparse = {rows_.sparse.index, rows_.sparse.start + rows.first};
        } else {
            work.own.base = base_.data() + rows.first;
            work.below.nu = const_cast<float*>(rows_.x) + rows.first * x_stride_;
            work.below.stride = whole(x_stride_);
        }
        work.backprop = !mfb();
        work.rate = mfb() ? rate_ : rate_ / static_cast<float>(rows.count);  // the mean gradient
        return work;
    }

    /// `learns`: d of the outputs too.
    void forward(Range rows, bool learns) const {
        for (std::size_t l = 0; l < layers_.size(); ++l) {
            DenseWork work = work_of(l, rows, learns);
            if (l + 1 == layers_.size()) {
                work.z = z_.data() + rows.first * architecture_.outputs();
                work.facts = rows_.facts + rows.first;
                work.eps = label_noise_.eps.empty() ? nullptr : eps_.data();
                if (!learns) work.own.d = nullptr;
            }
            run(work, forward_step(l));
            if (l + 1 == layers_.size()) continue;
            if (!mfb() || is_tree(l + 1)) continue;
            work.base_above = layers_[l + 1].base.data();
            work.floor_above =
                kernels::kVarianceFloor * static_cast<float>(layers_[l + 1].layer.inputs);
            run(work, DenseStep::kVariance);
        }
    }

    /// All messages.
    void send(Range rows) {
        for (std::size_t l = layers_.size() - 1; l > 0; --l) {
            DenseWork work = work_of(l, rows, true);
            run(work, is_tree(l)                    ? DenseStep::kTreeMessage
                      : rows.count < cuda::kFewRows ? DenseStep::kMessageFew
                                                    : DenseStep::kMessage);
        }
    }

    /// After all messages.
    void update(Range rows) {
        for (std::size_t l = 0; l < layers_.size(); ++l) {
            DenseWork work = work_of(l, rows, true);
            if (l == 0 && sparse_) {
                work.columns = {whole(by_column_.column().size()), column_.data(),
                                column_start_.data(), entry_row_.data(), entry_place_.data()};
                if (work.columns.count > 0) run(work, DenseStep::kSparseUpdate);
            } else {
                run(work, is_tree(l) ? DenseStep::kTreeUpdate : DenseStep::kUpdate);
            }
        }
    }

    static std::uint64_t refreshes(std::uint64_t samples) {
        return samples / kernels::kRefreshEvery;
    }

    void forget(std::uint64_t samples) {
        for (std::size_t l = 0; l < layers_.size(); ++l) {
            DenseWork work = work_of(l, {}, true);
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
    const bool sparse_, gathers_;
    std::unique_ptr<Card> card_;
    CardArray<float> eps_{*card_};
    dense::EntriesByColumn by_column_;
    CardArray<std::uint32_t> column_{*card_}, entry_row_{*card_};
    CardArray<std::uint64_t> column_start_{*card_}, entry_place_{*card_};
    // One call at a time.
    mutable std::mutex mutex_;
    mutable std::vector<CardLayer> layers_;
    mutable CardInputs inputs_;
    mutable CardArray<float> base_{*card_}, z_{*card_};
    // Of the call at hand.
    mutable cuda::TreeRows rows_;
    mutable std::size_t x_stride_ = 0;
};

}  // namespace

std::unique_ptr<Learner> make_card_dense_learner(LearnerStart start, std::unique_ptr<Card> card) {
    return std::make_unique<CardDenseLearner>(std::move(start), std::move(card));
}

}  // namespace bitbayes::learn
