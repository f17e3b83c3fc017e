#include "learn/tree_share.hpp"

#include <cassert>
#include <utility>

#include "dist/collectives.hpp"
#include "kernels/table.hpp"
#include "learn/finite.hpp"
#include "learn/forgetting.hpp"

namespace bitbayes::learn {

TreeShare::TreeShare(LearnerStart& start, const Context& context)
    : architecture_(start.architecture),
      ranks_(*context.ranks),
      trees_(dist::own_share(ranks_, architecture_.outputs())),
      learned_by_(start.posterior.rule),
      rate_(start.rate),
      label_noise_(std::move(start.label_noise)),
      forgotten_(forgotten_share(start.memory, kernels::kRefreshEvery)),
      sparse_(start.sparse),
      live_(std::move(start.live_inputs), start.architecture.inputs),
      samples_seen_(start.samples_seen) {
    if (start.posterior.layers.back().shape.neurons != trees_.count)
        start.posterior = start.posterior.part(trees_);
}

void TreeShare::learn(const data::InputBlock& block, std::span<const std::uint32_t> labels,
                      std::span<float> z, std::span<const float> weights) {
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
        for (std::size_t r = 0; r < block.rows; ++r) {
            noise.follow(z.subspan(r * outputs(), outputs()), labels[r],
                         weights.empty() ? 1 : weights[r]);
        }
        label_noise_ = noise;
    }
    check_outputs(z);
    samples_seen_ += block.rows;
    moved_ = follows() && !sparse_ && samples_seen_ % kernels::kRefreshEvery != 0;
}

void TreeShare::answer(const data::InputBlock& block, std::span<float> z, unsigned threads) const {
    check_whole(broken_);
    if (block.rows == 0) return;
    answer_own(block, z, threads);
    exchange(z);
}

void TreeShare::end_epoch() {
    check_whole(broken_);
    if (moved_) refresh();
    moved_ = false;
    if (ranks_.any(!finite())) diverged(samples_seen_);
}

Posterior TreeShare::posterior(TreeRange some) const {
    check_whole(broken_);
    assert(some.first >= trees_.first && some.end() <= trees_.end());
    Posterior result;
    result.rule = learned_by_;
    result.first_tree = some.first;
    for (std::size_t l = 0; l < architecture_.depth(); ++l)
        result.layers.push_back(give_layer(l, {some.first - trees_.first, some.count}));
    return result;
}

/// Every rank gets the outputs of all.
void TreeShare::exchange(std::span<float> z) const {
    if (!ranks_.several()) return;
    const std::size_t all = outputs(), rows = z.size() / all;
    std::vector<float> by_tree(z.size());
    for (std::size_t tree = trees_.first; tree < trees_.end(); ++tree) {
        for (std::size_t r = 0; r < rows; ++r) by_tree[tree * rows + r] = z[r * all + tree];
    }
    dist::gather_shares(ranks_, std::span(by_tree), all);
    for (std::size_t k = 0; k < z.size(); ++k) z[k] = by_tree[k % all * rows + k / all];
}

/// Weights that overflow show in the outputs, or at the next refresh.
void TreeShare::check_outputs(std::span<const float> z) {
    if (all_finite(z)) return;
    std::size_t row = 0;
    while (all_finite(z.first((row + 1) * outputs()))) ++row;
    diverged(samples_seen_ + row + 1);
}

void TreeShare::diverged(std::uint64_t samples) {
    broken_ = true;
    stop_diverged(samples, follows());
}

}  // namespace bitbayes::learn
