// Blocks of samples through the trees of a network. The output trees share nothing but the input,
// so a tree is the unit of work: a thread takes a tree through the whole block, and the threads
// meet at its end. With fewer trees than threads the neurons of layer 1 are divided among threads,
// with one barrier per sample. The results are the same to the bit.
//
// Layer 1 holds the live inputs of dense rows only (data/preprocess.hpp); h of the others never
// moves and is kept aside. Its w is carried from sample to sample and recomputed from h every
// kernels::kRefreshEvery samples, counted from the model's first (kernels/table.hpp).
#include "learn/tree_learner.hpp"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cmath>
#include <deque>
#include <numeric>
#include <utility>
#include <vector>

#include "base/aligned.hpp"
#include "base/pool.hpp"
#include "base/spin_barrier.hpp"
#include "base/thread_team.hpp"
#include "bitbayes/types/error.hpp"

namespace bitbayes::learn {

namespace {

using kernels::InputRow;
using kernels::KernelTable;
using kernels::LayerSlice;
using kernels::MeansSlice;
using kernels::Moments;
using kernels::SliceShape;
using kernels::TreeRule;

/// All trees' rows of one layer, padded for the kernels. `h` and `smallest_h` are empty if the rule
/// learns w itself.
struct Layer {
    SliceShape tree;  // of one tree
    AlignedVector<float> h, w;
    std::vector<float> smallest_h;  // per neuron: its smallest |h|, negative where unknown

    MeansSlice means(std::size_t t) const { return {tree, w.data() + offset(t)}; }
    LayerSlice slice(std::size_t t) {
        return {tree, h.empty() ? nullptr : h.data() + offset(t), w.data() + offset(t),
                smallest_h.empty() ? nullptr : smallest_h.data() + t * tree.neurons};
    }
    std::size_t offset(std::size_t t) const { return t * tree.neurons * tree.stride; }
};

struct NeuronScratch {
    AlignedVector<float> S, T, nu;

    explicit NeuronScratch(std::size_t neurons)
        : S(padded(neurons)), T(padded(neurons)), nu(padded(neurons)) {}
    Moments from(std::size_t first) {
        return {S.data() + first, T.data() + first, nu.data() + first};
    }
};

float z_of(const Moments& output) { return output.S[0] / std::sqrt(output.T[0]); }

/// Moments of the layers above the first, for one tree.
struct UpperScratch {
    std::vector<NeuronScratch> neurons;

    explicit UpperScratch(const std::vector<Layer>& layers) {
        for (std::size_t l = 1; l < layers.size(); ++l)
            neurons.emplace_back(layers[l].tree.neurons);
    }

    /// z of the output, from the moments of layer 1.
    template <class Means>
    float forward(const TreeRule& rule, const Moments& first, const Means& means_of) {
        Moments below = first;
        for (std::size_t l = 0; l < neurons.size(); ++l) {
            rule.forward_hidden(means_of(l + 1), below.nu, neurons[l].from(0));
            below = neurons[l].from(0);
        }
        return z_of(below);
    }
};

/// The layers above the first while a tree learns. They are small compared to layer 1: threads that
/// share a tree all compute the same numbers, the first thread in the layers themselves, the others
/// in copies.
class Upper {
  public:
    Upper(std::vector<Layer>& layers, std::size_t tree, bool copies)
        : layers_(layers), tree_(tree), scratch_(layers) {
        for (std::size_t l = 1; l < layers.size(); ++l) {
            slices_.push_back(layers[l].slice(tree));
            slices_.back().smallest_h = nullptr;
            messages_.emplace_back(padded(layers[l].tree.neurons * layers[l].tree.fan_in));
            if (!copies) continue;
            copies_.push_back({layers[l].tree, {}, {}, {}});
            copies_.back().h.resize(layers[l].h.empty() ? 0 : layers[l].offset(1));
            copies_.back().w.resize(layers[l].offset(1));
            slices_.back().h = layers[l].h.empty() ? nullptr : copies_.back().h.data();
            slices_.back().w = copies_.back().w.data();
        }
    }

    /// Updates the copies: the layers may have moved since the last block.
    void take_over() {
        for (std::size_t l = 0; l < copies_.size(); ++l) {
            const Layer& from = layers_[l + 1];
            std::copy_n(from.h.data() + from.offset(tree_), copies_[l].h.size(),
                        copies_[l].h.data());
            std::copy_n(from.w.data() + from.offset(tree_), copies_[l].w.size(),
                        copies_[l].w.data());
        }
    }

    float forward(const TreeRule& rule, const Moments& first) {
        return scratch_.forward(rule, first, [&](std::size_t l) {
            return MeansSlice{slices_[l - 1], slices_[l - 1].w};
        });
    }

    /// Learns the target after forward(); returns the messages to the neurons of layer 1.
    const float* backward(const TreeRule& rule, const Moments& first, float y, float rate) {
        y_ = y;
        const float* D = &y_;
        for (std::size_t l = slices_.size(); l-- > 0;) {
            const float* nu = l == 0 ? first.nu : scratch_.neurons[l - 1].nu.data();
            rule.backward_hidden(slices_[l], nu, scratch_.neurons[l].from(0),
                                 {D, l + 1 == slices_.size(), rate}, messages_[l].data());
            D = messages_[l].data();
        }
        return D;
    }

  private:
    const std::vector<Layer>& layers_;
    std::size_t tree_;
    UpperScratch scratch_;
    std::vector<LayerSlice> slices_;
    std::vector<Layer> copies_;
    std::vector<AlignedVector<float>> messages_;
    float y_ = 0;
};

/// What the threads that work on one tree share: the moments of layer 1, for this sample and the next.
struct SharedTree {
    NeuronScratch moments[2];
    SpinBarrier barrier;

    SharedTree(std::size_t neurons, unsigned parts)
        : moments{NeuronScratch(neurons), NeuronScratch(neurons)}, barrier(parts) {}
};

/// A block as the kernels read it.
struct Lesson {
    std::span<const InputRow> rows;
    std::span<const std::uint32_t> labels;
    std::span<float> z;
    std::size_t outputs;
    float rate;
    std::uint64_t samples_before;  // samples the model has seen before the first row
};

/// One thread's share of learning a tree: `mine_` are the neurons of layer 1 from `first_` on.
class TreePart {
  public:
    TreePart(std::vector<Layer>& layers, SharedTree& shared, std::size_t tree, std::size_t part,
             std::size_t parts)
        : shared_(shared),
          upper_(layers, tree, part > 0),
          tree_(tree),
          part_(part),
          single_layer_(layers.size() == 1),
          mine_(layers[0].slice(tree)) {
        const std::size_t all = mine_.neurons, share = padded((all + parts - 1) / parts);
        first_ = std::min(part * share, all);
        mine_.neurons = std::min(share, all - first_);
        mine_.w += first_ * mine_.stride;
        if (mine_.h != nullptr) mine_.h += first_ * mine_.stride;
        if (mine_.smallest_h != nullptr) mine_.smallest_h += first_;
    }

    void take_over() { upper_.take_over(); }

    /// Stops early if another part of the tree has failed.
    void learn(const TreeRule& rule, const KernelTable& kernels, const Lesson& lesson,
               const std::atomic<bool>& stop) {
        const auto& rows = lesson.rows;
        forward(rule, rows[0], 0);
        for (std::size_t r = 0; r < rows.size(); ++r) {
            if (!shared_.barrier.wait() || stop.load(std::memory_order_relaxed)) return;
            const Moments all = shared_.moments[r % 2].from(0);
            const float before = upper_.forward(rule, all);
            if (part_ == 0) lesson.z[r * lesson.outputs + tree_] = before;
            const bool positive = lesson.labels[r] == (lesson.outputs == 1 ? 1 : tree_);
            const float* D = upper_.backward(rule, all, positive ? 1.0f : -1.0f, lesson.rate);
            const bool last = r + 1 == rows.size();
            const bool fresh = refreshes(rows[r], lesson.samples_before + r + 1);
            rule.learn_input(mine_, rows[r], shared_.moments[r % 2].from(first_),
                             {D + first_, single_layer_, lesson.rate},
                             last || fresh ? nullptr : &rows[r + 1],
                             shared_.moments[(r + 1) % 2].from(first_));
            if (fresh) refresh(kernels);
            if (fresh && !last) forward(rule, rows[r + 1], (r + 1) % 2);
        }
    }

    void refresh(const KernelTable& kernels) {
        if (mine_.h == nullptr) return;
        kernels.weight_means(mine_.h, mine_.w, mine_.neurons * mine_.stride);
    }

  private:
    void forward(const TreeRule& rule, const InputRow& row, std::size_t turn) {
        rule.forward_input(MeansSlice{mine_, mine_.w}, row, shared_.moments[turn].from(first_));
    }
    /// Never for sparse rows: they compute every w that they change from h.
    bool refreshes(const InputRow& row, std::uint64_t samples) const {
        return row.index == nullptr && samples % kernels::kRefreshEvery == 0;
    }

    SharedTree& shared_;
    Upper upper_;
    std::size_t tree_, part_, first_ = 0;
    bool single_layer_;
    LayerSlice mine_;
};

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

std::vector<std::uint32_t> all_inputs(std::size_t inputs) {
    std::vector<std::uint32_t> all(inputs);
    std::iota(all.begin(), all.end(), 0u);
    return all;
}

class TreeLearner : public Learner {
  public:
    TreeLearner(LearnerStart start, unsigned threads, const KernelTable& kernels)
        : architecture_(start.architecture),
          learned_by_(start.posterior.rule),
          rate_(start.rate),
          sparse_(start.sparse),
          live_(start.live_inputs ? std::move(*start.live_inputs)
                                  : all_inputs(start.architecture.inputs)),
          samples_seen_(start.samples_seen),
          kernels_(kernels),
          rule_(learned_by_.algorithm == Algorithm::kMfb ? kernels.mfb : kernels.backprop),
          team_(threads) {
        for (std::size_t l = 0; l < architecture_.depth(); ++l) take_layer(start.posterior, l);
        add_parts(1);
        if (const std::size_t parts = useful_parts(); parts > 1) add_parts(parts);
    }

    void learn(const data::InputBlock& block, std::span<const std::uint32_t> labels,
               std::span<float> z) override {
        check_whole();
        if (block.rows == 0) return;
        input_rows(block, kernels_, rows_);
        const Lesson lesson{rows_, labels, z, architecture_.outputs(), rate_, samples_seen_};
        const bool together = worth_threads(block.rows);
        Team& team = together ? teams_.back() : teams_.front();
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
        samples_seen_ += block.rows;
        moved_ = follows() && !sparse_ && samples_seen_ % kernels::kRefreshEvery != 0;
    }

    void answer(const data::InputBlock& block, std::span<float> z,
                unsigned threads) const override {
        constexpr std::size_t kRowsPerJob = 64;
        check_whole();
        auto rows = row_pool_.take();
        input_rows(block, kernels_, *rows);
        const std::size_t outputs = architecture_.outputs();
        const std::size_t chunks = (block.rows + kRowsPerJob - 1) / kRowsPerJob;
        team_.run(
            outputs * chunks,
            [&](std::size_t job) {
                const std::size_t tree = job / chunks, first = job % chunks * kRowsPerJob;
                const std::size_t last = std::min(block.rows, first + kRowsPerJob);
                answer_rows(tree, std::span(*rows).subspan(first, last - first), first, z);
            },
            worth_threads(block.rows) ? threads : 1);
    }

    void end_epoch() override {
        check_whole();
        if (!moved_) return;
        for (TreePart& part : teams_.front().parts) part.refresh(kernels_);
        moved_ = false;
    }

    std::uint64_t samples_seen() const override { return samples_seen_; }

    Posterior posterior() const override { return posterior({0, architecture_.outputs()}); }

    Posterior posterior(TreeRange trees) const override {
        check_whole();
        Posterior result;
        result.rule = learned_by_;
        for (std::size_t l = 0; l < layers_.size(); ++l) {
            result.layers.push_back(give_layer(l, trees));
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

    bool follows() const { return learned_by_.carried.size() > 0; }  // w is a function of h
    std::size_t width(std::size_t l) const {
        return l == 0 ? live_.size() : architecture_.layers[l].fan_in;
    }

    void take_layer(Posterior& posterior, std::size_t l) {
        LayerPosterior& from = posterior.layers[l];
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
        if (l == 0) keep_inert(from);
        from.learned = {};  // before w takes memory
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

    /// Keeps the learned numbers of inputs that are not live.
    void keep_inert(const LayerPosterior& from) {
        if (live_.size() == from.shape.fan_in) return;
        std::vector<bool> is_live(from.shape.fan_in, false);
        for (const std::uint32_t j : live_) is_live[j] = true;
        for (std::size_t i = 0; i < from.shape.neurons; ++i) {
            for (std::size_t j = 0; j < from.shape.fan_in; ++j) {
                if (!is_live[j]) inert_.push_back(from.row(i)[j]);
            }
        }
    }

    LayerPosterior give_layer(std::size_t l, TreeRange trees) const {
        const Layer& layer = layers_[l];
        LayerShape shape = architecture_.layers[l];
        shape.neurons = trees.count * layer.tree.neurons;
        LayerPosterior out(shape);
        const std::size_t first = trees.first * layer.tree.neurons;
        copy_rows(l, first, follows() ? layer.h : layer.w, inert_, out.learned, shape);
        if (l == 0 && moved_) {
            out.carried.resize(shape.weights());
            copy_rows(l, first, layer.w, weight_means(inert_), out.carried, shape);
        }
        return out;
    }

    void copy_rows(std::size_t l, std::size_t first, const AlignedVector<float>& from,
                   const std::vector<float>& inert, std::vector<float>& to,
                   const LayerShape& shape) const {
        const std::size_t stride = layers_[l].tree.stride, fan_in = shape.fan_in;
        const std::size_t still = fan_in - width(l);
        for (std::size_t i = 0; i < shape.neurons; ++i) {
            const float* row = from.data() + (first + i) * stride;
            const float* rest = inert.data() + (first + i) * still;
            for (std::size_t j = 0, k = 0; j < fan_in; ++j) {
                const bool is_live = l > 0 || (k < live_.size() && live_[k] == j);
                to[i * fan_in + j] = is_live ? row[k++] : *rest++;
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
        return std::max<std::size_t>(1, std::min(team_.size() / architecture_.outputs(), useful));
    }

    /// Below kMinWork weight updates, waking other threads costs more than they save.
    bool worth_threads(std::size_t rows) const {
        constexpr std::size_t kMinWork = 1 << 18;
        return rows * architecture_.weights() >= kMinWork;
    }

    void add_parts(std::size_t parts) {
        Team& team = teams_.emplace_back();
        for (std::size_t tree = 0; tree < architecture_.outputs(); ++tree) {
            SharedTree& shared =
                team.trees.emplace_back(layers_[0].tree.neurons, static_cast<unsigned>(parts));
            for (std::size_t part = 0; part < parts; ++part) {
                team.parts.emplace_back(layers_, shared, tree, part, parts);
            }
        }
    }

    void answer_rows(std::size_t tree, std::span<const InputRow> rows, std::size_t first,
                     std::span<float> z) const {
        auto scratch = scratch_pool_.take([&] {
            return AnswerScratch{NeuronScratch(layers_[0].tree.neurons), UpperScratch(layers_)};
        });
        const Moments moments = scratch->first.from(0);
        for (std::size_t r = 0; r < rows.size(); ++r) {
            rule_.forward_input(layers_[0].means(tree), rows[r], moments);
            z[(first + r) * architecture_.outputs() + tree] = scratch->upper.forward(
                rule_, moments, [&](std::size_t l) { return layers_[l].means(tree); });
        }
    }

    void check_whole() const {
        if (!broken_) return;
        throw Error(ErrorCode::kInternal, "this network stopped in the middle of a block",
                    "go on from its last checkpoint or file");
    }

    const Architecture architecture_;
    const Rule learned_by_;
    const float rate_;
    const bool sparse_;
    std::vector<std::uint32_t> live_;  // inputs of layer 1 that layers_[0] holds
    std::vector<float> inert_;         // h of the others, neuron by neuron
    std::vector<Layer> layers_;
    std::uint64_t samples_seen_;
    bool moved_ = false;  // w of layer 1 has moved since the last refresh
    std::atomic<bool> broken_ = false;
    const KernelTable& kernels_;
    const TreeRule& rule_;
    mutable ThreadTeam team_;
    std::deque<Team> teams_;  // one part per tree; then, if worth it, several
    std::vector<InputRow> rows_;
    mutable Pool<std::vector<InputRow>> row_pool_;
    mutable Pool<AnswerScratch> scratch_pool_;
};

}  // namespace

std::unique_ptr<Learner> make_tree_learner(LearnerStart start, unsigned threads,
                                           const KernelTable& kernels) {
    return std::make_unique<TreeLearner>(std::move(start), threads, kernels);
}

}  // namespace bitbayes::learn
