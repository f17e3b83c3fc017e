#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reproduce/findings.hpp"
#include "reproduce/verdict.hpp"

namespace bitbayes::cli::reproduce {

namespace {

std::vector<Json> main_runs(const Json& results, const Subject& subject) {
    return runs_of(results["mnist"], subject.algorithm, "center");
}

double mnist_error(const Json& results, SubjectIndex index) {
    return last_error(main_runs(results, kSubjects[index]).front(), kSubjects[index].figure);
}

/// Spread over the seeds, but at least two standard errors of the test set.
double tolerance(const std::vector<Json>& runs, const char* figure) {
    const double here = last_error(runs.front(), figure);
    return std::max(seed_spread(runs, figure).width(),
                    2 * standard_error(here, runs.front()["test_rows"]));
}

/// Judges an error rate of the paper; lower is better.
std::string judge_error(const Json& results, const std::vector<Json>& runs, const char* figure,
                        double paper) {
    if (results["quick"]) return kNotJudged;
    const double here = last_error(runs.front(), figure);
    if (std::fabs(here - paper) <= tolerance(runs, figure)) return kHolds;
    return here < paper ? kHoldsBetter : kDoesNotHold;
}

std::string seeds_text(const std::vector<Json>& runs, const char* figure) {
    if (runs.size() == 1) return "One seed.";
    const SeedSpread spread = seed_spread(runs, figure);
    return fmt::format("{} seeds after {}: {} to {}.", spread.seeds, counted(spread.epoch, "epoch"),
                       short_percent(spread.low), short_percent(spread.high));
}

std::string epoch_range(const Json& run, const char* figure) {
    double low = 1, high = 0;
    for (const Json& epoch : run["history"]) {
        low = std::min(low, epoch[figure].get<double>());
        high = std::max(high, epoch[figure].get<double>());
    }
    return fmt::format("{} to {}", short_percent(low), short_percent(high));
}

/// Variations that change the figure.
std::string explanation(const Json& mnist, const Subject& subject) {
    const auto tried = by_preprocessing(mnist, subject.algorithm, subject.figure, subject.paper);
    return fmt::format(
        " The paper does not say over what it normalised the input, nor how long it trained. After "
        "{}: {}.",
        counted(tried.epoch, "epoch"), tried.text);
}

Verdict error_verdict(const Json& results, const Subject& subject) {
    const Json& mnist = results["mnist"];
    const auto runs = main_runs(results, subject);
    const double here = last_error(runs.front(), subject.figure);
    std::string verdict = judge_error(results, runs, subject.figure, subject.paper);
    std::string why = seeds_text(runs, subject.figure) + explanation(mnist, subject);
    if (subject.colour == kMfb || subject.colour == kPmfb) {
        const Json& surer = evidence_run(mnist);
        why += fmt::format(" `center` with `--evidence {}`: {}.", surer["evidence"].get<double>(),
                           short_percent(last_error(surer, subject.figure)));
    }
    if (subject.colour == kPmfb) {
        why += fmt::format(" Reading the highest input mu instead of the highest mu / sigma: {}.",
                           short_percent(mnist["readout"]["results"]["highest_input"]));
    }
    if (subject.colour == kClipped) {
        // The claim is that clipping ruins what BackProp learned.
        if (verdict != kNotJudged) verdict = whether(here > 0.25);
        why += fmt::format(" From epoch to epoch: {}.", epoch_range(runs.front(), subject.figure));
    }
    return {
        "mnist",
        fmt::format("Test error of {}", subject.name),
        percent(subject.paper),
        fmt::format("{} after {}", percent(here), counted(runs.front()["history"].size(), "epoch")),
        verdict,
        why};
}

Verdict posterior_against_real(const Json& results) {
    const double pmfb = mnist_error(results, kPmfb), real = mnist_error(results, kBackprop);
    const double rows = results["mnist"]["runs"].front()["test_rows"];
    const double two = 2 * std::hypot(standard_error(pmfb, rows), standard_error(real, rows));
    const char* why = "Two standard errors of the difference are less than the difference.";
    if (std::fabs(pmfb - real) <= two) why = "The difference is within two standard errors.";
    return {"mnist",
            "A network of real weights is somewhat ahead of the mean over binary ones",
            "2.14 % against 4.26 %",
            fmt::format("{} against {}", percent(real), percent(pmfb)),
            results["quick"]    ? kNotJudged
            : pmfb > real + two ? kHolds
                                : kHoldsBetter,
            why};
}

}  // namespace

std::vector<Verdict> mnist_verdicts(const Json& results) {
    std::vector<Verdict> list;
    for (const Subject& subject : kSubjects) list.push_back(error_verdict(results, subject));
    const double mfb = mnist_error(results, kMfb), pmfb = mnist_error(results, kPmfb);
    const double clipped = mnist_error(results, kClipped);
    const double worst_other = std::max({mfb, pmfb, mnist_error(results, kBackprop)});
    list.push_back({"mnist", "Binary weights reach a fully connected network of real ones",
                    "4.68 % against 4.7 %", percent(mfb),
                    results["quick"] ? kNotJudged : whether(mfb <= kLiterature),
                    "The 4.7 % of a 785x300x10 network (LeCun et al. 1998)."});
    list.push_back({"mnist", "Clipped BackProp is far worse than all others", "30.95 %",
                    fmt::format("{} against at most {}", percent(clipped), percent(worst_other)),
                    whether(clipped > (results["quick"] ? 1 : 2) * worst_other),
                    "Real weights that were not meant to be signs lose what they learned."});
    list.push_back({"mnist", "The mean over the posterior beats its clipped network",
                    "4.26 % against 4.68 %",
                    fmt::format("{} against {}", percent(pmfb), percent(mfb)), whether(pmfb < mfb),
                    "An average over many networks."});
    list.push_back(posterior_against_real(results));
    return list;
}

std::vector<Verdict> single_layer_verdicts(const Json& results) {
    constexpr const char* kName = "single-layer";
    const auto binary = runs_of(results["single_layer"], "mfb", "center");
    const auto real = best_rate_runs(results["single_layer"]);
    const double here = last_error(binary.front(), "error_map");
    const auto prepared =
        by_preprocessing(results["single_layer"], "mfb", "error_map", kSingleBinary);
    std::vector<Verdict> list{
        {kName, "785x10 with binary weights", percent(kSingleBinary), percent(here),
         judge_error(results, binary, "error_map", kSingleBinary),
         fmt::format("{} Preprocessing decides, after {}: {}; nearest to the paper is {}.",
                     seeds_text(binary, "error_map"), counted(prepared.epoch, "epoch"),
                     prepared.text, prepared.nearest)},
        {kName, "785x10 with real weights", percent(kSingleReal),
         percent(last_error(real.front(), "error_mean")),
         judge_error(results, real, "error_mean", kSingleReal),
         fmt::format(
             "The paper takes 12 % from the literature; here BackProp with learning rate {}, of "
             "five the one with the lowest training error. {} From epoch to epoch: {}.",
             real.front()["learning_rate"].get<double>(), seeds_text(real, "error_mean"),
             epoch_range(real.front(), "error_mean"))}};
    if (!results.contains("mnist")) return list;
    const double hidden = mnist_error(results, kMfb);
    list.push_back(
        {kName, "A hidden layer is what makes binary weights useful", "29 % against 4.68 %",
         fmt::format("{} against {}", percent(here), percent(hidden)),
         whether(here > (results["quick"] ? 1 : 2) * hidden), "Same data, same preprocessing."});
    return list;
}

}  // namespace bitbayes::cli::reproduce
