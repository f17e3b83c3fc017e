// Batches of rows through a network with dense layers. Each phase (a layer forward, a layer's
// messages, all updates) is divided among the threads by panels of 16 neurons or by columns; no sum
// is split, so the bits do not depend on the number of threads, nor of ranks (dense_exchange.hpp).
#include "learn/dense_learner.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "base/aligned.hpp"
#include "base/pool.hpp"
#include "base/thread_team.hpp"
#include "bitbayes/types/error.hpp"
#include "learn/dense_batch.hpp"
#include "learn/dense_exchange.hpp"
#include "learn/finite.hpp"
#include "learn/forgetting.hpp"

namespace bitbayes::learn {

namespace {

using namespace dense;
using kernels::KernelTable;

class DenseLearner : public Learner {
  public:
    DenseLearner(LearnerStart start, const Context& context, const KernelTable& kernels)
        : architecture_(start.architecture),
          exchange_(*context.ranks),
          learned_by_(start.posterior.rule),
          rate_(start.rate),
          label_noise_(std::move(start.label_noise)),
          memory_(start.memory),
          practice_(start.practice),
          live_(std::move(start.live_inputs), start.architecture.inputs),
          samples_seen_(start.samples_seen),
          kernels_(kernels),
          rule_(mfb() ? kernels.mfb_dense : kernels.backprop_dense),
          tree_rule_(mfb() ? kernels.mfb : kernels.backprop),
          dropout_{practice_.drop_input, practice_.drop_hidden, start.bias, start.seed, 0},
          team_(context.threads) {
        for (std::size_t l = 0; l < architecture_.depth(); ++l) {
            LayerPosterior& from = start.posterior.layers[l];
            if (l == 0) live_.keep_others(from);
            const LayerShape& shape = architecture_.layers[l];
            Layer& layer = layers_.emplace_back(shape, l == 0 ? live_.size() : shape.fan_in);
            layer.take(from, live_of(l), mfb(), kernels_);
            if (memory_) {
                layer.h0 = layer.placed(
                    start.posterior.prior_of_layer(l, start.seed, start.prior_scale), live_of(l));
            }
            from = {};
        }
    }

    void learn(const data::InputBlock& block, std::span<const std::uint32_t> labels,
               std::span<float> z, std::span<const float> weights) override {
        check_whole(broken_);
        const std::size_t outputs = architecture_.outputs();
        for (std::size_t first = 0; first < block.rows; first += practice_.batch) {
            const std::size_t count = std::min(practice_.batch, block.rows - first);
            if (!batch_ || batch_->room() < count) batch_.emplace(layers_, count);
            dropout_.first_sample = samples_seen_;
            const Dropout* dropout =
                dropout_.input > 0 || dropout_.hidden > 0 ? &dropout_ : nullptr;
            batch_->read(block, first, count, kernels_, dropout);
            learn_forward(dropout);
            const auto own_z = z.subspan(first * outputs, count * outputs);
            aim(labels.subspan(first, count),
                weights.empty() ? weights : weights.subspan(first, count), own_z);
            if (!all_finite(own_z)) diverged(samples_seen_ + count);
            for (std::size_t l = layers_.size() - 1; l > 0; --l) send_messages(l);
            update();
            const std::uint64_t steps = refreshes(samples_seen_ + count) - refreshes(samples_seen_);
            if (memory_ && steps > 0) forget(steps * kernels::kRefreshEvery);
            for (std::size_t l = 1; l < layers_.size(); ++l) {
                exchange_.weights(layers_[l], layers_[l].w);
            }
            samples_seen_ += count;
        }
        exchange_.weights(layers_[0], layers_[0].w);  // messages do not need them, answers do
    }

    void answer(const data::InputBlock& block, std::span<float> z,
                unsigned threads) const override {
        check_whole(broken_);
        const std::size_t most = answer_rows(architecture_);
        const Range own = exchange_.rows(block.rows);
        const std::size_t chunks = (own.count + most - 1) / most;
        team_.run(
            chunks,
            [&](std::size_t job) {
                auto batch = pool_.take([&] { return Batch(layers_, most); });
                const std::size_t first = own.first + job * most;
                const std::size_t count = std::min(most, own.end() - first);
                batch->read(block, first, count, kernels_, nullptr);
                for (std::size_t l = 0; l < layers_.size(); ++l) {
                    forward(*batch, l, {0, layers_[l].panels()}, nullptr);
                    batch->finish(l, kernels_.dense);
                }
                const std::size_t outputs = architecture_.outputs();
                std::vector<float> unused(outputs);
                LayerRows& top = batch->layer(layers_.size() - 1);
                for (std::size_t r = 0; r < count; ++r) {
                    rule_.target(top.neurons(r), top.base[r], {outputs, 0, 1},
                                 z.data() + (first + r) * outputs, unused.data());
                }
            },
            worth_threads(block.rows) ? threads : 1);
        exchange_.answers(z, block.rows);
    }

    void end_epoch() override {
        check_whole(broken_);
        bool finite = true;
        for (const Layer& layer : layers_) {
            finite = finite && all_finite(mfb() ? layer.h : layer.w);
        }
        if (exchange_.any(!finite)) diverged(samples_seen_);
    }

    void set_rate(float rate) override { rate_ = rate; }

    std::uint64_t samples_seen() const override { return samples_seen_; }
    const LabelNoise& label_noise() const override { return label_noise_; }

    TreeRange trees() const override { return {0, architecture_.outputs()}; }

    Posterior posterior() const override {
        check_whole(broken_);
        Posterior result;
        result.rule = learned_by_;
        for (std::size_t l = 0; l < layers_.size(); ++l) {
            if (!exchange_.several()) {
                result.layers.push_back(layers_[l].give(live_of(l)));
                continue;
            }
            Layer whole = layers_[l];
            exchange_.weights(whole, mfb() ? whole.h : whole.w);
            result.layers.push_back(whole.give(live_of(l)));
        }
        return result;
    }

    Posterior posterior(TreeRange some) const override {
        if (some == trees()) return posterior();
        throw Error(ErrorCode::kInternal, "the outputs of a dense network are no trees");
    }

    unsigned threads() const override { return team_.size(); }
    const char* backend() const override { return kernels_.name; }

  private:
    bool mfb() const { return learned_by_.algorithm == Algorithm::kMfb; }
    const LiveInputs* live_of(std::size_t l) const { return l == 0 ? &live_ : nullptr; }

    /// Below kMinWork weight updates, waking other threads costs more than they save.
    bool worth_threads(std::size_t rows) const {
        constexpr std::size_t kMinWork = 1 << 18;
        return rows * architecture_.weights() >= kMinWork;
    }

    /// job(first, count) for parts of `size` out of `all`, or for all at once.
    template <class Job>
    void divide(Range all, std::size_t size, const Job& job) {
        if (all.count == 0) return;
        if (!worth_threads(batch_->rows()) || all.count <= size) return job(all.first, all.count);
        team_.run((all.count + size - 1) / size, [&](std::size_t k) {
            job(all.first + k * size, std::min(size, all.count - k * size));
        });
    }

    /// Some panels of a layer; trees whole.
    void forward(Batch& batch, std::size_t l, Range panels, const Dropout* dropout) const {
        if (layers_[l].is_tree()) {
            batch.forward_trees(l, tree_rule_, rule_, dropout);
        } else {
            batch.forward(l, panels.first, panels.count, rule_, dropout);
        }
    }

    void learn_forward(const Dropout* dropout) {
        for (std::size_t l = 0; l < layers_.size(); ++l) {
            const Layer& layer = layers_[l];
            const Range own = layer.is_tree() ? Range{0, 1} : exchange_.panels(layer);
            divide(own, kPanelsPerJob, [&](std::size_t first, std::size_t count) {
                forward(*batch_, l, {first, count}, dropout);
            });
            exchange_.forward(layer, batch_->layer(l), batch_->rows(), l + 1 == layers_.size());
            batch_->finish(l, kernels_.dense);
        }
    }

    /// d of the outputs, all with the label noise from before the batch, which follows its rows after.
    void aim(std::span<const std::uint32_t> labels, std::span<const float> weights,
             std::span<float> z) {
        const std::size_t outputs = architecture_.outputs();
        LayerRows& top = batch_->layer(layers_.size() - 1);
        const auto weight_of = [&](std::size_t r) { return weights.empty() ? 1 : weights[r]; };
        const float* eps = label_noise_.eps.empty() ? nullptr : label_noise_.eps.data();
        for (std::size_t r = 0; r < labels.size(); ++r) {
            rule_.target(top.neurons(r), top.base[r], {outputs, labels[r], weight_of(r), eps},
                         z.data() + r * outputs, top.d.data() + r * top.stride);
        }
        for (std::size_t r = 0; r < labels.size(); ++r) {
            label_noise_.follow(z.subspan(r * outputs, outputs), labels[r], weight_of(r));
        }
    }

    /// d of layer l - 1, from that of layer l.
    void send_messages(std::size_t l) {
        if (layers_[l].is_tree()) {
            send_tree_messages(l);
        } else if (batch_->rows() < kFewRows) {
            for (std::size_t r = 0; r < batch_->rows(); ++r) send_row(l, r);
        } else {
            send_rows(l);
        }
        // Layer 1 sends no messages: each rank needs d of its own neurons alone.
        if (l > 1 && !layers_[l - 1].is_tree()) {
            exchange_.backward(layers_[l - 1], batch_->layer(l - 1), batch_->rows());
        }
    }

    /// Neurons of a layer whose messages this rank sums.
    Range own_neurons(const Layer& layer) const {
        const Range own = exchange_.panels(layer);
        const std::size_t end = std::min(own.end() * kLanes, layer.shape.neurons);
        const std::size_t first = std::min(own.first * kLanes, end);
        return {first, end - first};
    }

    void send_tree_messages(std::size_t l) {
        LayerRows &from = batch_->layer(l), &to = batch_->layer(l - 1);
        for (std::size_t r = 0; r < batch_->rows(); ++r) {
            float* d = to.d.data() + r * to.stride;
            kernels_.dense.message_tree(layers_[l].tree_means(), from.d.data() + r * from.stride,
                                        d);
            multiply(d, to.gain.data() + r * to.stride, 0, layers_[l - 1].shape.neurons);
        }
    }

    void send_row(std::size_t l, std::size_t r) {
        LayerRows &from = batch_->layer(l), &to = batch_->layer(l - 1);
        divide(own_neurons(layers_[l - 1]), kColumnsPerJob,
               [&](std::size_t first, std::size_t count) {
                   float* d = to.d.data() + r * to.stride;
                   kernels_.dense.message_row(all_means(l), first, count,
                                              from.d.data() + r * from.stride, d);
                   multiply(d, to.gain.data() + r * to.stride, first, count);
               });
    }

    void send_rows(std::size_t l) {
        LayerRows &from = batch_->layer(l), &to = batch_->layer(l - 1);
        const std::size_t count_rows = batch_->rows(), rows = padded(count_rows);
        const std::size_t neurons = layers_[l].panels() * kLanes;
        dT_.assign(neurons * rows, 0.0f);
        eT_.resize(layers_[l - 1].shape.neurons * rows);
        divide({0, layers_[l].panels()}, kPanelsPerJob, [&](std::size_t first, std::size_t count) {
            for (std::size_t r = 0; r < count_rows; ++r) {
                const float* d = from.d.data() + r * from.stride;
                for (std::size_t i = first * kLanes; i < (first + count) * kLanes; ++i) {
                    dT_[i * rows + r] = d[i];
                }
            }
        });
        divide(own_neurons(layers_[l - 1]), kColumnsPerJob,
               [&](std::size_t first, std::size_t count) {
                   kernels_.dense.message(all_means(l), first, count, dT_.data(), eT_.data(), rows);
                   for (std::size_t r = 0; r < count_rows; ++r) {
                       float* d = to.d.data() + r * to.stride;
                       for (std::size_t j = first; j < first + count; ++j) d[j] = eT_[j * rows + r];
                       multiply(d, to.gain.data() + r * to.stride, first, count);
                   }
               });
    }

    static void multiply(float* d, const float* gain, std::size_t first, std::size_t count) {
        for (std::size_t j = first; j < first + count; ++j) {
            const float product = d[j] * gain[j];
            d[j] = std::fabs(product) < kernels::kTiny ? 0 : product;
        }
    }

    void update() {
        for (std::size_t l = 0; l < layers_.size(); ++l) {
            const LayerRows& own = batch_->layer(l);
            const kernels::DenseInputs in = batch_->inputs(l);
            const float rate =
                mfb() ? rate_ : rate_ / static_cast<float>(batch_->rows());  // the mean gradient
            const kernels::DenseLesson lesson{batch_->rows(), in.stride, own.stride, rate};
            if (layers_[l].is_tree()) {
                rule_.learn_tree(layers_[l].tree_slice(), in.x, own.d.data(), lesson);
                continue;
            }
            kernels::SparseColumns columns;
            const bool sparse = in.row_start != nullptr;
            if (sparse) columns = batch_->columns();
            divide(exchange_.panels(layers_[l]), kPanelsPerJob,
                   [&](std::size_t first, std::size_t count) {
                       const auto panels = layers_[l].some_panels(first, count);
                       const float* d = own.d.data() + first * kLanes;
                       if (sparse) {
                           rule_.learn_sparse(panels, columns, d, lesson);
                       } else {
                           rule_.learn(panels, in.x, d, lesson);
                       }
                   });
        }
    }

    static std::uint64_t refreshes(std::uint64_t samples) {
        return samples / kernels::kRefreshEvery;
    }

    void forget(std::uint64_t samples) {
        const float share = forgotten_share(memory_, samples);
        for (Layer& layer : layers_) {
            const Range own =
                layer.is_tree() ? Range{0, layer.shape.neurons} : exchange_.panels(layer);
            const std::size_t lanes = layer.stride / kLanes;  // of a panel, or of a row of trees
            divide({own.first * lanes, own.count * lanes}, kLanesPerJob,
                   [&](std::size_t first, std::size_t count) {
                       float* h = layer.h.data() + first * kLanes;
                       learn::forget(share, layer.h0.data() + first * kLanes, h, count * kLanes);
                       kernels_.weight_means(h, layer.w.data() + first * kLanes, count * kLanes);
                   });
        }
    }

    kernels::DenseMeans all_means(std::size_t l) const {
        return layers_[l].some_means(0, layers_[l].panels());
    }

    [[noreturn]] void diverged(std::uint64_t samples) {
        broken_ = true;
        stop_diverged(samples, mfb());
    }

    static constexpr std::size_t kPanelsPerJob = 3, kColumnsPerJob = 48, kFewRows = 4,
                                 kLanesPerJob = 1024;

    const Architecture architecture_;
    mutable Exchange exchange_;
    const Rule learned_by_;
    float rate_;
    LabelNoise label_noise_;
    const std::optional<std::uint64_t> memory_;
    const Practice practice_;
    LiveInputs live_;
    std::vector<Layer> layers_;
    std::uint64_t samples_seen_;
    bool broken_ = false;
    const KernelTable& kernels_;
    const kernels::DenseRule& rule_;
    const kernels::TreeRule& tree_rule_;
    Dropout dropout_;
    mutable ThreadTeam team_;
    std::optional<Batch> batch_;
    AlignedVector<float> dT_, eT_;
    mutable Pool<Batch> pool_;
};

}  // namespace

std::size_t answer_rows(const Architecture& architecture) {
    constexpr std::size_t kMost = 48, kNeurons = 1 << 20;  // rows, and neurons of all of them
    std::size_t neurons = 0;
    for (const LayerShape& layer : architecture.layers) neurons += layer.neurons;
    return std::clamp<std::size_t>(kNeurons / neurons, 1, kMost);
}

std::unique_ptr<Learner> make_dense_learner(LearnerStart start, const Context& context,
                                            const KernelTable& kernels) {
    return std::make_unique<DenseLearner>(std::move(start), context, kernels);
}

}  // namespace bitbayes::learn
