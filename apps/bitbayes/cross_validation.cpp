#include "cross_validation.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <utility>

#include "bitbayes/types/error.hpp"
#include "terminal/progress.hpp"
#include "terminal/ranks.hpp"
#include "terminal/signals.hpp"

namespace bitbayes::cli {

namespace {

constexpr const char* kRow = "{:<6}{:>12}{:>13}{:>10}\n";

std::string number(double value) { return std::isnan(value) ? "-" : fmt::format("{:.4f}", value); }

std::string table_line(const std::string& name, double error_map, double error_mean, double nll) {
    return fmt::format(kRow, name, percent(error_map), percent(error_mean), number(nll));
}

}  // namespace

CrossValidation run_folds(const Common& common, const Dataset& data, std::size_t folds,
                          const TrainOptions& options) {
    const InterruptFlag interrupt;
    const bool bar = progress_style(common) == ProgressStyle::kBar;
    std::optional<Progress> progress;
    FoldCallbacks callbacks;
    callbacks.progress = [&](std::size_t, const TrainProgress& now) {
        if (bar && !progress) progress.emplace(ProgressStyle::kBar);
        if (progress) progress->step(now);
        return !ranks().any(interrupt.raised());
    };
    callbacks.done = [&](std::size_t fold, const Evaluation& evaluation) {
        progress.reset();
        if (common.json || progress_style(common) == ProgressStyle::kNone) return;
        note(common, fmt::format("fold {} of {}: error {}", fold + 1, folds,
                                 percent(evaluation.error_mean)));
    };
    CrossValidation result = cross_validate(data, folds, options, callbacks, &ranks());
    if (result.folds.size() < folds) {
        progress.reset();
        throw Error(ErrorCode::kInterrupted,
                    fmt::format("interrupted in fold {} of {}", result.folds.size() + 1, folds));
    }
    return result;
}

Json cross_validation_json(const CrossValidation& result) {
    Json object{{"folds", result.folds.size()}, {"untested", result.untested}};
    const std::pair<const char*, double Evaluation::*> figures[] = {
        {"error_map", &Evaluation::error_map},
        {"error_mean", &Evaluation::error_mean},
        {"nll", &Evaluation::nll},
        {"brier", &Evaluation::brier},
        {"ece", &Evaluation::ece},
        {"validity", &Evaluation::validity}};
    for (const auto& [name, figure] : figures) {
        const Spread spread = result.spread(figure);
        object[name] = {
            {"mean", spread.mean}, {"std", spread.deviation}, {"values", spread.values}};
    }
    return object;
}

std::string cross_validation_table(const CrossValidation& result) {
    std::string table = fmt::format(kRow, "fold", "error, MAP", "error, mean", "NLL");
    for (std::size_t f = 0; f < result.folds.size(); ++f) {
        const Evaluation& fold = result.folds[f];
        table += table_line(std::to_string(f + 1), fold.error_map, fold.error_mean, fold.nll);
    }
    const Spread map = result.spread(&Evaluation::error_map);
    const Spread mean = result.spread(&Evaluation::error_mean);
    const Spread nll = result.spread(&Evaluation::nll);
    return table + table_line("mean", map.mean, mean.mean, nll.mean) +
           table_line("std", map.deviation, mean.deviation, nll.deviation);
}

}  // namespace bitbayes::cli
