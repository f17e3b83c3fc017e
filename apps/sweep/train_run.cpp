#include "sweep/train_run.hpp"

#include <cmath>

#include "bitbayes/train.hpp"
#include "learn/live_model.hpp"
#include "options/options.hpp"
#include "training/evaluate.hpp"

namespace bitbayes::cli::sweep {

namespace {

struct Figure {
    const char* name;
    double Evaluation::*member;
};

constexpr Figure kAll[] = {{"error_map", &Evaluation::error_map},
                           {"error_mean", &Evaluation::error_mean},
                           {"nll", &Evaluation::nll},
                           {"brier", &Evaluation::brier},
                           {"ece", &Evaluation::ece},
                           {"validity", &Evaluation::validity}};

Json number(double value) { return std::isnan(value) ? Json() : Json(value); }

TrainOptions with_threads(const Run& run, unsigned threads) {
    TrainOptions options = run.options;
    options.threads = threads;
    return options;
}

/// nullopt if it was stopped.
std::optional<Trainer> trained(const Dataset& rows, const TrainOptions& options,
                               const std::function<bool()>& go_on) {
    Trainer trainer(rows, options, std::nullopt, go_on);
    TrainCallbacks callbacks;
    callbacks.progress = [&](const TrainProgress&) { return go_on(); };
    if (!go_on() || !trainer.run(callbacks)) return std::nullopt;
    return trainer;
}

std::optional<Json> test_folds(const Data& data, const Run& run, unsigned threads,
                               const std::function<bool()>& go_on) {
    FoldCallbacks callbacks;
    callbacks.progress = [&](std::size_t, const TrainProgress&) { return go_on(); };
    const auto result =
        cross_validate(data.rows(), data.folds(), with_threads(run, threads), callbacks);
    if (result.folds.size() < data.folds()) return std::nullopt;
    Json found, deviations;
    for (const Figure& figure : kAll) {
        const Spread spread = result.spread(figure.member);
        found[figure.name] = number(spread.mean);
        deviations[figure.name] = number(spread.deviation);
    }
    found["std"] = std::move(deviations);
    return found;
}

}  // namespace

std::optional<Json> test_run(const Data& data, const Run& run, unsigned threads,
                             const std::function<bool()>& go_on) {
    if (data.folds() > 0) return test_folds(data, run, threads, go_on);
    const auto split = data.split(run.options.seed);
    const auto trainer = trained(split->train, with_threads(run, threads), go_on);
    if (!trainer) return std::nullopt;
    const auto evaluation = training::evaluate(trainer->live(), split->test, threads);
    Json found;
    for (const Figure& figure : kAll) found[figure.name] = number(evaluation.*figure.member);
    found["weights"] = trainer->live().description().architecture.weights();
    found["evidence"] = options::text(trainer->options(), options::find("evidence"));
    return found;
}

std::optional<learn::ModelState> train_run(const Data& data, const Run& run, unsigned threads,
                                           const std::function<bool()>& go_on) {
    const auto split = data.folds() > 0 ? nullptr : data.split(run.options.seed);
    const auto trainer =
        trained(split ? split->train : data.rows(), with_threads(run, threads), go_on);
    if (!trainer) return std::nullopt;
    return trainer->live().snapshot();
}

}  // namespace bitbayes::cli::sweep
