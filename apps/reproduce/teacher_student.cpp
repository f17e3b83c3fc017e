#include "reproduce/teacher_student.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <numeric>

#include "base/thread_team.hpp"
#include "bitbayes/types/error.hpp"
#include "clip/clip.hpp"
#include "data/teacher.hpp"
#include "learn/backprop.hpp"
#include "learn/live_model.hpp"
#include "learn/metrics.hpp"
#include "packed/engine.hpp"
#include "packed/packed_answers.hpp"
#include "reproduce/statistics.hpp"
#include "terminal/signals.hpp"
#include "training/evaluate.hpp"
#include "training/trainer.hpp"

namespace bitbayes::cli::reproduce {

namespace {

constexpr std::size_t kSizes[] = {3, 5, 7, 9, 21, 31, 51, 101};
constexpr std::size_t kWindow = 5000;  // samples that the training error is averaged over
constexpr std::size_t kBlock = 100;    // samples between two clipped networks

/// Sample counts at which the training error is recorded; they grow by a quarter.
std::vector<std::size_t> looks(std::size_t samples) {
    std::vector<std::size_t> at;
    for (double n = 500; n < static_cast<double>(samples); n *= 1.25) {
        at.push_back(static_cast<std::size_t>(n) / kBlock * kBlock);
    }
    at.push_back(samples);
    return at;
}

/// The error rate over the last kWindow samples, from errors per block.
class RollingError {
  public:
    void add(std::size_t errors) { blocks_.push_back(errors); }
    double now() const {
        const std::size_t count = std::min(blocks_.size(), kWindow / kBlock);
        const auto last = blocks_.end();
        const auto sum =
            std::accumulate(last - static_cast<std::ptrdiff_t>(count), last, std::size_t{0});
        return static_cast<double>(sum) / static_cast<double>(count * kBlock);
    }

  private:
    std::vector<std::size_t> blocks_;
};

/// Errors of one algorithm: the network itself (mean) and its clipped twin (map).
struct Trial {
    double test_mean = 0, test_map = 0;
    std::vector<double> training_mean, training_map;
};

Trial run_trial(const LoadedData& data, Algorithm algorithm, std::uint64_t seed) {
    TrainOptions options = paper_options();
    options.algorithm = algorithm;
    options.tree = {data.train.features};
    options.seed = seed;
    const Rows inputs(data.train);
    learn::LiveModel model(training::initial_model(data.train, options), {.threads = 1});
    const auto labels = model.classes().labels_of(data.train);
    const auto look_at = looks(data.train.rows);
    Trial trial;
    RollingError mean, map;
    std::vector<std::size_t> rows(kBlock);
    std::vector<std::int64_t> scores(kBlock);
    for (std::size_t first = 0; first < data.train.rows; first += kBlock) {
        std::iota(rows.begin(), rows.end(), first);
        const packed::Network clipped = clip::clip(model.snapshot());
        packed::score_rows(packed::Engine(clipped), inputs, first, scores);
        const auto truth = std::span(labels).subspan(first, kBlock);
        std::size_t errors_map = 0, errors_mean = 0;
        for (std::size_t r = 0; r < kBlock; ++r)
            errors_map += (scores[r] >= 0 ? 1u : 0u) != truth[r];
        model.learn(inputs, rows, truth, [&](std::size_t r, auto z, auto) {
            errors_mean += learn::winner(z) != truth[r];
        });
        mean.add(errors_mean);
        map.add(errors_map);
        if (first + kBlock == look_at[trial.training_map.size()]) {
            trial.training_mean.push_back(mean.now());
            trial.training_map.push_back(map.now());
        }
    }
    const Evaluation test = training::evaluate(model, data.test, 1);
    trial.test_mean = test.error_mean;
    trial.test_map = test.error_map;
    return trial;
}

struct TrialPair {
    std::uint64_t seed = 0;
    Trial mfb, backprop;
};

/// The four algorithms of the paper, and where a pair of trials holds them.
struct Subject {
    const char* key;
    Trial TrialPair::*trial;
    double Trial::*test;
    std::vector<double> Trial::*training;
};

constexpr Subject kSubjects[] = {
    {"mfb", &TrialPair::mfb, &Trial::test_map, &Trial::training_map},
    {"pmfb", &TrialPair::mfb, &Trial::test_mean, &Trial::training_mean},
    {"backprop", &TrialPair::backprop, &Trial::test_mean, &Trial::training_mean},
    {"clipped", &TrialPair::backprop, &Trial::test_map, &Trial::training_map}};

/// The curve of the trial with the best test error, as in the paper, and quartiles of all.
Json training_json(const std::vector<TrialPair>& trials, const Subject& subject) {
    const auto test = [&](const TrialPair& pair) { return pair.*subject.trial.*subject.test; };
    const auto& best =
        *std::min_element(trials.begin(), trials.end(),
                          [&](const auto& a, const auto& b) { return test(a) < test(b); });
    Json curve{{"best", best.*subject.trial.*subject.training},
               {"q1", Json::array()},
               {"median", Json::array()},
               {"q3", Json::array()}};
    for (std::size_t k = 0; k < curve["best"].size(); ++k) {
        std::vector<double> values;
        for (const auto& pair : trials)
            values.push_back((pair.*subject.trial.*subject.training)[k]);
        curve["q1"].push_back(quantile(values, 0.25));
        curve["median"].push_back(quantile(values, 0.5));
        curve["q3"].push_back(quantile(values, 0.75));
    }
    return curve;
}

Json results_json(const std::vector<TrialPair>& trials, std::size_t samples) {
    Json out{{"trials", Json::array()}, {"test", Json::object()}, {"training", Json::object()}};
    for (const auto& pair : trials) {
        Json one{{"seed", pair.seed}};
        for (const auto& s : kSubjects) one[s.key] = pair.*s.trial.*s.test;
        out["trials"].push_back(one);
    }
    out["training"]["samples"] = looks(samples);
    for (const auto& subject : kSubjects) {
        std::vector<double> errors;
        for (const auto& pair : trials) errors.push_back(pair.*subject.trial.*subject.test);
        out["test"][subject.key] = spread_json(errors);
        out["test"][subject.key]["solved"] = std::count(errors.begin(), errors.end(), 0.0);
        out["training"][subject.key] = training_json(trials, subject);
    }
    return out;
}

/// All trials of one M, in parallel; each has its own teacher.
std::vector<TrialPair> run_trials(const Plan& plan, std::size_t m) {
    const InterruptFlag interrupt;
    std::vector<TrialPair> trials(plan.trials());
    ThreadTeam team(plan.threads);
    team.run(trials.size(), [&](std::size_t t) {
        if (interrupt.raised()) return;
        const std::uint64_t seed = plan.seed + t;
        const LoadedData data =
            data::make_teacher(m, seed, plan.teacher_samples(), data::kTeacherTestRows);
        trials[t] = {seed, run_trial(data, Algorithm::kMfb, seed),
                     run_trial(data, Algorithm::kBackprop, seed)};
    });
    if (interrupt.raised()) throw Error(ErrorCode::kInterrupted, "interrupted");
    return trials;
}

}  // namespace

Json teacher_student(const Plan& plan, const RunStore& store) {
    Json runs = Json::array();
    for (const std::size_t m : kSizes) {
        const Json settings{{"M", m},
                            {"trials", plan.trials()},
                            {"seed", plan.seed},
                            {"samples", plan.teacher_samples()},
                            {"test_samples", data::kTeacherTestRows},
                            {"learning_rate", learn::paper_learning_rate(m)}};
        const Json run = store.run(fmt::format("teacher-student-{}", m), settings, [&] {
            note(plan.common,
                 fmt::format("teacher and student, M = {}, {} trials", m, plan.trials()));
            return results_json(run_trials(plan, m), plan.teacher_samples());
        });
        runs.push_back(run);
    }
    return runs;
}

}  // namespace bitbayes::cli::reproduce
