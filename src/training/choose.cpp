#include "training/choose.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <utility>

#include "base/philox.hpp"
#include "base/text.hpp"
#include "bitbayes/types/error.hpp"
#include "learn/metrics.hpp"
#include "training/learn_in_blocks.hpp"
#include "training/row_weights.hpp"
#include "training/trainer.hpp"

namespace bitbayes::training {
namespace {

/// Rows to answer are a fifth of the table, at most kMostAnswered; a trial learns a tenth of what the
/// training will, at most kMostLearned rows: four trials and their answers stay below half of it.
constexpr std::size_t kFewestRows = 100, kMostAnswered = 5000, kMostLearned = 40000;
constexpr std::size_t kMostTrials = 4;
/// Between neighbouring candidates.
constexpr double kDenseFactor = 3, kTreeFactor = 10;
constexpr double kLowest = 0.003, kHighest = 30;
/// Trees of `width` hidden neurons break above width / 10, wide ones above 10. A tree's trials say less
/// than a dense network's: only clearly better answers count.
constexpr double kHighestTree = 10;
constexpr double kClearly = 0.9;

/// Learns with one evidence after the other, from the same start, on the same rows.
class Trials {
  public:
    Trials(const LabelledRows& training, const TrainOptions& options, const ChoiceHooks& hooks,
           dist::Communicator& ranks)
        : training_(training),
          options_(options),
          hooks_(hooks),
          ranks_(ranks),
          start_(initial_model(training, options, ranks)),
          labels_(ClassIndex(start_.class_names).labels_of(training)),
          weights_(row_weights(training, options.class_weight)) {
        const auto order = Philox(options.seed, Purpose::kTrials).permutation(training.rows.size());
        const std::size_t answered = std::min(order.size() / 5, kMostAnswered);
        answered_.assign(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(answered));
        const std::size_t most = std::min(order.size() * *options.epochs / 10, kMostLearned);
        while (learned_.size() < most) {
            const std::size_t count = std::min(order.size() - answered, most - learned_.size());
            const auto first = order.begin() + static_cast<std::ptrdiff_t>(answered);
            learned_.insert(learned_.end(), first, first + static_cast<std::ptrdiff_t>(count));
        }
    }

    /// The mean NLL of the rows to answer; infinite if it breaks or is stopped.
    double nll(double evidence) {
        for (const EvidenceTrial& trial : done_) {
            if (trial.evidence == evidence) return trial.nll;
        }
        if (stopped_ || done_.size() == kMostTrials) return std::numeric_limits<double>::infinity();
        if (hooks_.trial) hooks_.trial(done_.size() + 1);
        learn::ModelState state = start_;
        state.evidence = in_trial(evidence);
        learn::LiveModel model(std::move(state), {options_.threads, options_.backend, &ranks_},
                               practice_of(options_));
        double result = std::numeric_limits<double>::infinity();
        try {
            stopped_ = !learn_in_blocks(model, training_.rows, learned_, labels_, weights_, {},
                                        hooks_.go_on);
            if (stopped_) return result;
            model.end_epoch();
            result = answer(model);
        } catch (const Error& error) {
            if (error.code() != ErrorCode::kUsage) throw;  // weights that overflow
        }
        done_.push_back({evidence, result});
        return result;
    }

    const std::vector<EvidenceTrial>& done() const { return done_; }
    const learn::ModelState& start() const { return start_; }
    bool of_trees() const { return start_.architecture.is_tree(); }

  private:
    /// What a posterior of trees becomes depends on how often all rows were counted in total, so the
    /// few rows of a trial count more often. Steps of dense networks saturate.
    double in_trial(double evidence) const {
        if (!of_trees()) return evidence;
        const auto all = static_cast<double>(training_.rows.size() * *options_.epochs);
        const double highest = std::clamp(
            static_cast<double>(start_.architecture.neurons_per_tree(0)) / 10, 1.0, kHighestTree);
        return evidence * std::min(all / static_cast<double>(learned_.size()), highest);
    }

    double answer(const learn::LiveModel& model) const {
        double sum = 0, weight = 0;
        const std::size_t outputs = model.outputs();
        std::vector<double> probability(start_.classes());
        model.answer(training_.rows, answered_, [&](std::size_t first, std::span<const float> z) {
            for (std::size_t r = 0; r * outputs < z.size(); ++r) {
                const std::size_t row = answered_[first + r];
                learn::bayes_answer(z.subspan(r * outputs, outputs), model.eps(), probability);
                const double times = weights_.empty() ? 1 : weights_[row];
                sum -= times * std::log(std::max(probability[labels_[row]], 1e-12));
                weight += times;
            }
        });
        return weight > 0 ? sum / weight : 0;
    }

    const LabelledRows& training_;
    const TrainOptions& options_;
    const ChoiceHooks& hooks_;
    dist::Communicator& ranks_;
    const learn::ModelState start_;
    const std::vector<std::uint32_t> labels_;
    const std::vector<float> weights_;
    std::vector<std::size_t> learned_, answered_;
    std::vector<EvidenceTrial> done_;
    bool stopped_ = false;
};

/// To one digit, so that the choice can be written down.
double rounded(double evidence) { return *parse_number(fmt::format("{:.1g}", evidence)); }

/// Goes down or up by factors while the answers become better; with trees only down.
double best_evidence(Trials& trials, double first) {
    double best = first, lowest = trials.nll(first);
    const double down = 1 / (trials.of_trees() ? kTreeFactor : kDenseFactor);
    for (const double factor : {down, kDenseFactor}) {
        if (trials.of_trees() && factor > 1) break;
        const double better = trials.of_trees() ? kClearly : 1;
        for (double next = rounded(best * factor); next > kLowest && next < kHighest;
             next = rounded(best * factor)) {
            const double nll = trials.nll(next);
            if (!(nll < better * lowest)) break;
            best = next;
            lowest = nll;
        }
        if (best != first) break;
    }
    return best;
}

}  // namespace

Choice choose(const LabelledRows& training, const TrainOptions& asked, const ChoiceHooks& hooks,
              dist::Communicator& ranks) {
    Choice result;
    result.options = decided(asked, training.rows);
    const bool mfb = asked.algorithm == Algorithm::kMfb;
    const bool teacher = training.rows.kind() == DataKind::kTeacher;
    if (!asked.evidence.automatic || !mfb || teacher || training.rows.size() < kFewestRows) {
        return result;
    }
    const auto start = std::chrono::steady_clock::now();
    Trials trials(training, result.options, hooks, ranks);
    if (hooks.started) hooks.started(trials.start(), result.options);
    result.options.evidence = best_evidence(trials, result.options.evidence.first);
    result.trials = trials.done();
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
    result.seconds = passed.count();
    return result;
}

}  // namespace bitbayes::training
