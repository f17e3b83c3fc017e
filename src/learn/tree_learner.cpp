// Blocks of samples through the trees of a network, or of one rank's share of them. The output trees share nothing but the input,
// so a tree is the unit of work: a thread takes a tree through the whole block, and the threads
// meet at its end. With fewer trees than threads the neurons of layer 1 are divided among threads,
// with one barrier per sample. Ranks that share a network exchange the outputs after each block.
// The results are the same to the bit.
//
// Layer 1 holds the live inputs of dense rows only (data/preprocess.hpp); h of the others never
// moves and is kept aside. Its w is carried from sample to sample and recomputed from h every
// kernels::kRefreshEvery samples, counted from the model's first (kernels/table.hpp).
#include "learn/tree_learner.hpp"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "base/aligned.hpp"
#include "base/pool.hpp"
#include "base/thread_team.hpp"
#include "bitbayes/types/error.hpp"
#include "dist/collectives.hpp"
#include "learn/live_inputs.hpp"
#include "learn/tree_part.hpp"

namespace bitbayes::learn {

namespace {

using namespace tree;

struct AnswerScratch {
    NeuronScratch first;
    UpperScratch upper;
};

void input_rows(const data::InputBlock& block, const KernelTable& kernels,
                std::vector<InputRow>& rows) {
    rows.assign(block.rows, {});
    for (std::size_t r = 0; r < block.rows; ++r) {
        if (block.sparse) {
            const std::size_t start = block.row_start[r];
            rows[r].x = block.value.data() + start;
            rows[r].index = block.index.data() + start;
            rows[r].count = block.row_start[r + 1] - start;
        } else {
            rows[r].x = block.value.data() + r * block.stride;
            rows[r].count = block.stride;
        }
        kernels.measure(rows[r]);
    }
}

class TreeLearner : public Learner {
  public:
    TreeLearner(LearnerStart start, const Context& context, const KernelTable& kernels)
        : architecture_(start.architecture),
          ranks_(*context.ranks),
          trees_(dist::own_share(ranks_, architecture_.outputs())),
          learned_by_(start.posterior.rule),
          rate_(start.rate),
          label_noise_(std::move(start.label_noise)),
          forgotten_(forgotten_share(start.memory, kernels::kRefreshEvery)),
          sparse_(start.sparse),
          live_(std::move(start.live_inputs), start.architecture.inputs),
          samples_seen_(start.samples_seen),
          kernels_(kernels),
          rule_(learned_by_.algorithm == Algorithm::kMfb ? kernels.mfb : kernels.backprop),
          team_(context.threads) {
        if (start.posterior.layers.back().shape.neurons != trees_.count) {
            start.posterior = start.posterior.part(trees_);
        }
        for (std::size_t l = 0; l < architecture_.depth(); ++l) take_layer(start, l);
        whole_trees_ = parts_of(1);
    }

    void learn(const data::InputBlock& block, std::span<const std::uint32_t> labels,
               std::span<float> z, std::span<const float> weights) override {
        check_whole(broken_);
        if (block.rows == 0) return;
        LabelNoise noise = label_noise_;
        try {
            dist::together(ranks_, [&] { learn_own(block, labels, z, weights); });
        } catch (...) {
            broken_ = true;
            throw;
        }
        exchange(z);
        if (ranks_.several()) {
            const std::size_t outputs = architecture_.outputs();
            for (std::size_t r = 0; r < block.rows; ++r) {
                noise.follow(z.subspan(r * outputs, outputs), labels[r],
                             weights.empty() ? 1 : weights[r]);
            }
            label_noise_ = noise;
        }
        check_outputs(z);
        samples_seen_ += block.rows;
        moved_ = follows() && !sparse_ && samples_seen_ % kernels::kRefreshEvery != 0;
    }

    void answer(const data::InputBlock& block, std::span<float> z,
                unsigned threads) const override {
        constexpr std::size_t kRowsPerJob = 64;
        check_whole(broken_);
        auto rows = row_pool_.take();
        input_rows(block, kernels_, *rows);
        const std::size_t chunks = (block.rows + kRowsPerJob - 1) / kRowsPerJob;
        team_.run(
            trees_.count * chunks,
            [&](std::size_t job) {
                const std::size_t tree = job / chunks, first = job % chunks * kRowsPerJob;
                const std::size_t last = std::min(block.rows, first + kRowsPerJob);
                answer_rows(tree, std::span(*rows).subspan(first, last - first), first, z);
            },
            worth_threads(block.rows) ? threads : 1);
        exchange(z);
    }

    void end_epoch() override {
        check_whole(broken_);
        if (moved_) {
            for (TreePart& part : whole_trees_.parts) part.refresh(kernels_);
            moved_ = false;
        }
        bool finite = true;
        for (const Layer& layer : layers_) {
            finite = finite && all_finite(follows() ? layer.h : layer.w);
        }
        if (ranks_.any(!finite)) diverged(samples_seen_);
    }

    void set_rate(float rate) override { rate_ = rate; }

    std::uint64_t samples_seen() const override { return samples_seen_; }
    const LabelNoise& label_noise() const override { return label_noise_; }

    TreeRange trees() const override { return trees_; }

    Posterior posterior() const override { return posterior(trees_); }

    Posterior posterior(TreeRange some) const override {
        check_whole(broken_);
        assert(some.first >= trees_.first && some.end() <= trees_.end());
        Posterior result;
        result.rule = learned_by_;
        result.first_tree = some.first;
        for (std::size_t l = 0; l < layers_.size(); ++l) {
            result.layers.push_back(give_layer(l, {some.first - trees_.first, some.count}));
        }
        return result;
    }

    unsigned threads() const override { return team_.size(); }
    const char* backend() const override { return kernels_.name; }

  private:
    /// The parts of all trees.
    struct Team {
        std::deque<SharedTree> trees;  // a deque, since parts refer to them
        std::deque<TreePart> parts;    // tree by tree
    };

    /// The block through this rank's trees.
    void learn_own(const data::InputBlock& block, std::span<const std::uint32_t> labels,
                   std::span<float> z, std::span<const float> weights) {
        input_rows(block, kernels_, rows_);
        const Lesson lesson{
            rows_, labels,     weights,       z,           architecture_.outputs(), trees_.first,
            rate_, forgotten_, samples_seen_, label_noise_};
        const bool together = worth_threads(block.rows);
        Team& team = together ? working_team() : whole_trees_;
        for (TreePart& part : team.parts) part.take_over();
        std::atomic<bool> stop = false;
        // With several parts per tree there are at most as many parts as threads, so all parts of a
        // tree run at the same time.
        team_.run(
            team.parts.size(),
            [&](std::size_t job) {
                try {
                    team.parts[job].learn(rule_, kernels_, lesson, stop);
                } catch (...) {
                    broken_ = stop = true;
                    for (SharedTree& tree : team.trees) tree.barrier.leave();
                    throw;
                }
            },
            together ? 0 : 1);
    }

    /// Every rank gets the outputs of all.
    void exchange(std::span<float> z) const {
        if (!ranks_.several()) return;
        const std::size_t outputs = architecture_.outputs(), rows = z.size() / outputs;
        std::vector<float> by_tree(z.size());
        for (std::size_t tree = trees_.first; tree < trees_.end(); ++tree) {
            for (std::size_t r = 0; r < rows; ++r) by_tree[tree * rows + r] = z[r * outputs + tree];
        }
        dist::gather_shares(ranks_, std::span(by_tree), outputs);
        for (std::size_t k = 0; k < z.size(); ++k) {
            z[k] = by_tree[k % outputs * rows + k / outputs];
        }
    }

    bool follows() const { return learned_by_.carried.size() > 0; }  // w is a function of h
    std::size_t width(std::size_t l) const {
        return l == 0 ? live_.size() : architecture_.layers[l].fan_in;
    }

    void take_layer(LearnerStart& start, std::size_t l) {
        LayerPosterior& from = start.posterior.layers[l];
        const std::size_t fan_in = from.shape.fan_in, stride = padded(width(l));
        Layer& layer = layers_.emplace_back();
        layer.tree = {architecture_.neurons_per_tree(l), width(l), stride};
        const auto rows = [&](const std::vector<float>& values, AlignedVector<float>& out) {
            out.assign(from.shape.neurons * stride, 0.0f);
            for (std::size_t i = 0; i < from.shape.neurons; ++i) {
                const float* row = values.data() + i * fan_in;
                for (std::size_t j = 0; j < width(l); ++j) {
                    out[i * stride + j] = row[l == 0 ? live_[j] : j];
                }
            }
        };
        rows(from.learned, follows() ? layer.h : layer.w);
        if (l == 0) live_.keep_others(from);
        from.learned = {};  // before w takes memory
        if (start.memory) {
            rows(start.posterior.prior_of_layer(l, start.seed, start.prior_scale), layer.h0);
        }
        if (follows()) {
            layer.smallest_h.assign(l == 0 ? from.shape.neurons : 0, -1.0f);
            layer.w.resize(layer.h.size());
            kernels_.weight_means(layer.h.data(), layer.w.data(), layer.h.size());
            if (!from.carried.empty()) {
                moved_ = true;
                rows(from.carried, layer.w);
            }
        }
        from = {};
    }

    /// Of trees counted from the first that this rank has.
    LayerPosterior give_layer(std::size_t l, TreeRange trees) const {
        const Layer& layer = layers_[l];
        LayerShape shape = architecture_.layers[l];
        shape.neurons = trees.count * layer.tree.neurons;
        LayerPosterior out(shape);
        const std::size_t first = trees.first * layer.tree.neurons;
        copy_rows(l, first, follows() ? layer.h : layer.w, live_.others(), out.learned, shape);
        if (l == 0 && moved_) {
            out.carried.resize(shape.weights());
            copy_rows(l, first, layer.w, weight_means(live_.others()), out.carried, shape);
        }
        return out;
    }

    void copy_rows(std::size_t l, std::size_t first, const AlignedVector<float>& from,
                   std::span<const float> others, std::vector<float>& to,
                   const LayerShape& shape) const {
        for (std::size_t i = 0; i < shape.neurons; ++i) {
            const float* row = from.data() + (first + i) * layers_[l].tree.stride;
            float* out = to.data() + i * shape.fan_in;
            if (l > 0) {
                std::copy_n(row, shape.fan_in, out);
            } else {
                live_.merge([&](std::size_t k) { return row[k]; },
                            others.subspan((first + i) * live_.others_per_neuron()), out);
            }
        }
    }

    /// Threads per tree: more than one only if there are more threads than trees and enough work for
    /// each.
    std::size_t useful_parts() const {
        constexpr std::size_t kMinWeights = 4096;
        const SliceShape& shape = layers_[0].tree;
        const std::size_t useful =
            std::min(shape.neurons / kLanes, shape.neurons * shape.fan_in / kMinWeights);
        return std::max<std::size_t>(1, std::min(team_.size() / trees_.count, useful));
    }

    /// Below kMinWork weight updates, waking other threads costs more than they save.
    bool worth_threads(std::size_t rows) const {
        constexpr std::size_t kMinWork = 1 << 18;
        return rows * trees_.count * architecture_.weights_per_tree() >= kMinWork;
    }

    Team parts_of(std::size_t parts) {
        Team team;
        for (std::size_t tree = 0; tree < trees_.count; ++tree) {
            SharedTree& shared =
                team.trees.emplace_back(layers_[0].tree.neurons, static_cast<unsigned>(parts));
            for (std::size_t part = 0; part < parts; ++part) {
                team.parts.emplace_back(layers_, shared, tree, part, parts);
            }
        }
        return team;
    }

    /// Parts for the threads that run; they are known once the team has started.
    Team& working_team() {
        team_.start();
        const std::size_t parts = useful_parts();
        if (parts == 1) return whole_trees_;
        if (!split_trees_) split_trees_ = parts_of(parts);
        return *split_trees_;
    }

    void answer_rows(std::size_t tree, std::span<const InputRow> rows, std::size_t first,
                     std::span<float> z) const {
        auto scratch = scratch_pool_.take([&] {
            return AnswerScratch{NeuronScratch(layers_[0].tree.neurons), UpperScratch(layers_)};
        });
        const Moments moments = scratch->first.from(0);
        for (std::size_t r = 0; r < rows.size(); ++r) {
            rule_.forward_input(layers_[0].means(tree), rows[r], moments);
            z[(first + r) * architecture_.outputs() + trees_.first + tree] = scratch->upper.forward(
                rule_, moments, [&](std::size_t l) { return layers_[l].means(tree); });
        }
    }

    /// Weights that overflow show in the outputs, or at the next refresh.
    void check_outputs(std::span<const float> z) {
        if (all_finite(z)) return;
        std::size_t row = 0;
        while (all_finite(z.first((row + 1) * architecture_.outputs()))) ++row;
        diverged(samples_seen_ + row + 1);
    }

    [[noreturn]] void diverged(std::uint64_t samples) {
        broken_ = true;
        stop_diverged(samples, follows());
    }

    const Architecture architecture_;
    dist::Communicator& ranks_;
    const TreeRange trees_;  // of this rank
    const Rule learned_by_;
    float rate_;
    LabelNoise label_noise_;
    const float forgotten_;  // share of what was learned, at each refresh
    const bool sparse_;
    LiveInputs live_;  // inputs of layer 1 that layers_[0] holds
    std::vector<Layer> layers_;
    std::uint64_t samples_seen_;
    bool moved_ = false;  // w of layer 1 has moved since the last refresh
    std::atomic<bool> broken_ = false;
    const KernelTable& kernels_;
    const TreeRule& rule_;
    mutable ThreadTeam team_;
    Team whole_trees_;                 // one part per tree
    std::optional<Team> split_trees_;  // several, if there are enough threads
    std::vector<InputRow> rows_;
    mutable Pool<std::vector<InputRow>> row_pool_;
    mutable Pool<AnswerScratch> scratch_pool_;
};

}  // namespace

std::unique_ptr<Learner> make_tree_learner(LearnerStart start, const Context& context,
                                           const KernelTable& kernels) {
    return std::make_unique<TreeLearner>(std::move(start), context, kernels);
}

}  // namespace bitbayes::learn
