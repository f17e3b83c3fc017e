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
#include <deque>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "base/aligned.hpp"
#include "base/pool.hpp"
#include "base/thread_team.hpp"
#include "learn/tree_part.hpp"
#include "learn/tree_share.hpp"

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

class TreeLearner : public TreeShare {
  public:
    TreeLearner(LearnerStart start, const Context& context, const KernelTable& kernels)
        : TreeShare(start, context),
          kernels_(kernels),
          rule_(learned_by_.algorithm == Algorithm::kMfb ? kernels.mfb : kernels.backprop),
          team_(context.threads) {
        for (std::size_t l = 0; l < architecture_.depth(); ++l) take_layer(start, l);
        whole_trees_ = parts_of(1);
    }

    unsigned threads() const override { return team_.size(); }
    const char* backend() const override { return kernels_.name; }

  private:
    /// The parts of all trees.
    struct Team {
        std::deque<SharedTree> trees;  // a deque, since parts refer to them
        std::deque<TreePart> parts;    // tree by tree
    };

    void learn_own(const data::InputBlock& block, std::span<const std::uint32_t> labels,
                   std::span<float> z, std::span<const float> weights) override {
        input_rows(block, kernels_, rows_);
        const Lesson lesson{rows_, labels,     weights,       z,           outputs(), trees_.first,
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

    void answer_own(const data::InputBlock& block, std::span<float> z,
                    unsigned threads) const override {
        constexpr std::size_t kRowsPerJob = 64;
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
    }

    void refresh() override {
        for (TreePart& part : whole_trees_.parts) part.refresh(kernels_);
    }
    bool finite() const override {
        return std::all_of(layers_.begin(), layers_.end(), [&](const Layer& layer) {
            return all_finite(follows() ? layer.h : layer.w);
        });
    }

    void take_layer(LearnerStart& start, std::size_t l) {
        LayerPosterior& from = start.posterior.layers[l];
        Layer& layer = layers_.emplace_back();
        layer.tree = {architecture_.neurons_per_tree(l), width(l), padded(width(l))};
        const auto rows = [&](const std::vector<float>& values) {
            return laid_out(l, values, std::identity());
        };
        (follows() ? layer.h : layer.w) = rows(from.learned);
        if (l == 0) live_.keep_others(from);
        from.learned = {};  // before w takes memory
        if (start.memory)
            layer.h0 = rows(start.posterior.prior_of_layer(l, start.seed, start.prior_scale));
        if (follows()) {
            layer.smallest_h.assign(l == 0 ? from.shape.neurons : 0, kernels::kMovedSince);
            layer.w.resize(layer.h.size());
            kernels_.weight_means(layer.h.data(), layer.w.data(), layer.h.size());
            if (!from.carried.empty()) {
                moved_ = true;
                layer.w = rows(from.carried);
            }
        }
        from = {};
    }

    LayerPosterior give_layer(std::size_t l, TreeRange trees) const override {
        const Layer& layer = layers_[l];
        LayerShape shape = architecture_.layers[l];
        shape.neurons = trees.count * layer.tree.neurons;
        LayerPosterior out(shape);
        const std::size_t first = trees.first * layer.tree.neurons;
        const auto rows = [&](const AlignedVector<float>& all) {
            return std::span(all).subspan(first * layer.tree.stride,
                                          shape.neurons * layer.tree.stride);
        };
        give_rows(l, first, rows(follows() ? layer.h : layer.w), live_.others(), out.learned,
                  std::identity());
        if (l == 0 && moved_) {
            out.carried.resize(shape.weights());
            give_rows(l, first, rows(layer.w), weight_means(live_.others()), out.carried,
                      std::identity());
        }
        return out;
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
            z[(first + r) * outputs() + trees_.first + tree] = scratch->upper.forward(
                rule_, moments, [&](std::size_t l) { return layers_[l].means(tree); });
        }
    }

    std::vector<Layer> layers_;
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
