#include <fmt/format.h>

#include <algorithm>

#include "reproduce/findings.hpp"
#include "reproduce/verdict.hpp"

namespace bitbayes::cli::reproduce {

namespace {

const Json& claim(const Json& results, const char* name) {
    return results["claims"][name]["results"];
}

Verdict judge_amplitude(const Json& results) {
    const Json& found = claim(results, "amplitude");
    const auto count = [](const Json& of, const char* key) { return of[key].get<std::size_t>(); };
    const auto rows = count(found, "test_images");
    const Json& mfb = found["mfb"]["100"];
    const auto moved = std::max(count(mfb, "different_mean"), count(mfb, "different_map"));
    return {"claims",
            "The amplitude of the input does not matter",
            "x and c x learn the same",
            fmt::format("x and 100 x: {} of {} answers differ", moved, rows),
            whether(1000 * moved <= rows),  // rounding may flip answers that are nearly tied
            fmt::format("Trained on {} raw images as they are and times 100; with BackProp {} "
                        "answers differ.",
                        count(found, "images"), count(found["backprop"]["100"], "different_mean"))};
}

Verdict judge_learning_rate(const Json& results) {
    const Json& scan = claim(results, "learning_rate");
    double best = 1, worst = 0;
    for (const Json& point : scan["backprop"]) {
        best = std::min(best, point["median"].get<double>());
        worst = std::max(worst, point["median"].get<double>());
    }
    return {"claims",
            "There is no learning rate to tune",
            "BackProp's was found by a scan",
            fmt::format("BackProp {} to {} over the scan, MFB {}", short_percent(best),
                        short_percent(worst), short_percent(scan["mfb"]["median"])),
            whether(worst > 1.2 * best),
            "M = 21, medians. The same setting of MFB serves every experiment of this report."};
}

std::vector<Verdict> judge_increments(const Json& results) {
    const Json& rows = claim(results, "increments")["certain"];
    double beyond = 0;
    std::size_t samples = 0, against = 0;
    for (const Json& row : rows) {
        if (row["margin"] >= 3) beyond = std::max(beyond, row["largest"].get<double>());
        samples += row["samples"].get<std::size_t>();
        against += row["against"].get<std::size_t>();
    }
    const Json& first = rows.front();
    const double moved = first["largest"];
    const double share = first["samples"].get<double>() / static_cast<double>(samples);
    return {
        {"claims", "A certain network does not move on data that it gets right, margin >= 3",
         "increments are 0", fmt::format("largest |dh| {:.1g}", beyond), whether(beyond < 1e-12),
         "One step of a network with |h| = 20 on samples that it labels itself."},
        {"claims", "... and with output margin 1", "increments are 0",
         fmt::format("|dh| up to {:.2g}, on {} of the samples", moved, short_percent(share)),
         whether(moved < 1e-12),
         fmt::format("At margin 1 a single weight decides, y mu_i(j) is 0 and not above it, and "
                     "the step is as large as it can be. It makes the network surer: {} steps "
                     "went against the sign of a weight.",
                     against)}};
}

Verdict judge_cost(const Json& results) {
    const double slope = claim(results, "cost")["slope"];
    return {"claims",
            "The cost of a step is linear in the number of weights",
            "O(|W|)",
            fmt::format("time grows with the weights to the power {:.2f}", slope),
            whether(slope > 0.85 && slope < 1.15),
            "One thread, three decades of network sizes; the caches show."};
}

Verdict judge_certainty(const Json& results) {
    bool together = true;
    for (const Json& curve : claim(results, "certainty")) {
        const Json& points = curve["points"];
        together = together && points.back()["disagreement"] < 0.001 &&
                   points.front()["disagreement"] > points.back()["disagreement"];
    }
    const Json& last = claim(results, "certainty").back()["points"];
    return {"claims",
            "MAP and mean output approach each other as certainty grows",
            "they coincide",
            fmt::format("M = 21: {} of the answers differ at certainty {:.2f}, {} at {:.4f}",
                        short_percent(last.front()["disagreement"]),
                        last.front()["certainty"].get<double>(),
                        short_percent(last.back()["disagreement"]),
                        last.back()["certainty"].get<double>()),
            whether(together),
            "Certainty is the mean |tanh h|. It says nothing about being right."};
}

Verdict judge_erratum(const Json& results) {
    const Json& found = claim(results, "erratum");
    const Json& minus = found["pushed_wrong"].back();
    std::string medians;
    for (const Json& size : found["sizes"]) {
        medians +=
            fmt::format("{}M = {} {} / {}", medians.empty() ? "" : ", ", size["M"].get<int>(),
                        short_percent(size["paper_prior"]["right"]["median"]),
                        short_percent(size["paper_prior"]["printed"]["median"]));
    }
    return {
        "claims",
        "The asymptotic form of G pushes a sure network towards the label",
        "Algorithm 1, the IF branch",
        fmt::format("label -1: {} of the output's weights are pushed away from it, {} with the "
                    "factor y",
                    short_percent(minus["printed"]), short_percent(minus["right"])),
        whether(minus["printed"] == 0.0),
        "The printed form lacks the factor y. Students rarely feel it, since only a network sure "
        "beyond 38 standard deviations gets there; median error right / printed: " +
            medians + "."};
}

}  // namespace

std::vector<Verdict> claim_verdicts(const Json& results) {
    std::vector<Verdict> list{judge_amplitude(results), judge_learning_rate(results)};
    for (Verdict& v : judge_increments(results)) list.push_back(std::move(v));
    list.push_back(judge_cost(results));
    list.push_back(judge_certainty(results));
    list.push_back(judge_erratum(results));
    return list;
}

}  // namespace bitbayes::cli::reproduce
