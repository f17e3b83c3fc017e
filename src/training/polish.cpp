#include "training/polish.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "base/philox.hpp"
#include "dist/communicator.hpp"
#include "training/evaluate.hpp"
#include "training/learn_in_blocks.hpp"
#include "training/trainer.hpp"

namespace bitbayes::training {
namespace {

/// How many times each row counts in a round; the run's own is too much for narrow layers.
double polishing_evidence(const learn::ModelState& model) {
    constexpr double kTree = 5;
    const learn::Architecture& network = model.architecture;
    if (network.is_tree()) return std::max(kTree, model.evidence);
    std::vector<std::size_t> widths;
    for (std::size_t l = 0; l < network.shared_layers(); ++l) {
        widths.push_back(network.layers[l].neurons);
    }
    return dense_evidence(widths);
}

void make_surer(learn::Posterior& posterior) {
    for (learn::LayerPosterior& layer : posterior.layers) {
        for (float& h : layer.learned) h *= 2;
        layer.carried.clear();
    }
}

double clipped_errors(const learn::LiveModel& model, const Rows& rows,
                      std::span<const std::uint32_t> labels, std::span<const float> weights,
                      unsigned threads) {
    const auto answers = clipped_answers(model, rows, threads);
    double errors = 0;
    for (std::size_t r = 0; r < answers.size(); ++r) {
        if (answers[r].class_index != labels[r]) errors += weights.empty() ? 1 : weights[r];
    }
    return errors;
}

/// One pass over the rows in a random order; false if it was stopped.
bool pass(learn::LiveModel& model, const Rows& rows, std::span<const std::uint32_t> labels,
          std::span<const float> weights, const PolishPlan& plan, std::uint64_t round) {
    const auto drawn = Philox(plan.seed, Purpose::kPolish, static_cast<std::uint32_t>(round))
                           .permutation(rows.size());
    const std::vector<std::size_t> order(drawn.begin(), drawn.end());
    constexpr std::uint32_t kAfterEpochs = 1u << 31;
    const data::Shift shift{plan.shift, plan.seed,
                            kAfterEpochs + static_cast<std::uint32_t>(round)};
    const auto go_on = [&] { return !plan.go_on || plan.go_on(round); };
    if (!learn_in_blocks(model, rows, order, labels, weights, shift, go_on)) return false;
    model.end_epoch();
    return true;
}

/// The pattern of the whole network, of those that the ranks have of their trees.
learn::SignPattern joined(learn::SignPattern own, const learn::LiveModel& model) {
    dist::Communicator& ranks = model.ranks();
    const learn::Architecture& network = model.description().architecture;
    if (!ranks.several() || !network.is_tree()) return own;
    learn::SignPattern whole;
    for (std::size_t l = 0; l < network.depth(); ++l) {
        whole.layers.emplace_back();
        std::vector<std::size_t> bits(ranks.size()), bytes(ranks.size()), starts;
        std::size_t total = 0, before = 0;
        for (std::size_t r = 0; r < ranks.size(); ++r) {
            const Range trees = share_of(network.outputs(), r, ranks.size());
            bits[r] = network.part(trees).layers[l].weights();
            bytes[r] = (bits[r] + 7) / 8;
            starts.push_back(total);
            total += bytes[r];
        }
        std::vector<std::uint8_t> all(total);
        std::copy(own.layers[l].begin(), own.layers[l].end(), all.data() + starts[ranks.rank()]);
        ranks.gather(std::as_writable_bytes(std::span(all)), bytes);
        for (std::size_t r = 0; r < ranks.size(); before += bits[r++]) {
            whole.append(l, std::span(all).subspan(starts[r], bytes[r]), bits[r], before);
        }
    }
    return whole;
}

}  // namespace

std::optional<learn::SignPattern> polish(const learn::LiveModel& model, const Rows& rows,
                                         std::span<const std::uint32_t> labels,
                                         std::span<const float> weights, const PolishPlan& plan) {
    learn::ModelState state = model.snapshot();
    state.polished.reset();
    state.memory.reset();
    state.evidence = polishing_evidence(state);
    learn::SignPattern best;
    double fewest = std::numeric_limits<double>::infinity();
    for (std::uint64_t round = 0; round <= plan.rounds; ++round) {
        if (round > 0) make_surer(state.posterior);
        learn::LiveModel copy(std::move(state), plan.context, plan.practice);
        if (round > 0 && !pass(copy, rows, labels, weights, plan, round)) return std::nullopt;
        const double errors = clipped_errors(copy, rows, labels, weights, plan.context.threads);
        state = copy.snapshot();
        if (errors > fewest) continue;
        fewest = errors;
        best = learn::SignPattern(state.posterior);
        if (round == 0 && errors == 0) break;  // further rounds were no better on other rows
    }
    return joined(std::move(best), model);
}

}  // namespace bitbayes::training
