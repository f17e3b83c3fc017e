#include <fmt/format.h>

#include "reproduce/findings.hpp"
#include "reproduce/pages.hpp"

namespace bitbayes::cli::reproduce {

namespace {

using namespace report;

Table amplitude_table(const Json& found) {
    Table table{{"input", "MFB mean", "MFB clipped", "answers that differ", "BackProp",
                 "answers that differ"},
                {}};
    for (const char* factor : {"1", "100", "128"}) {
        const Json& mfb = found["mfb"][factor];
        const Json& real = found["backprop"][factor];
        const auto differing = [](const Json& of) {
            return of.contains("different_mean")
                       ? fmt::format("{} mean, {} clipped", of["different_mean"].get<int>(),
                                     of["different_map"].get<int>())
                       : std::string("-");
        };
        table.rows.push_back({fmt::format("{} x", factor), percent(mfb["error_mean"]),
                              percent(mfb["error_map"]), differing(mfb),
                              percent(real["error_mean"]), differing(real)});
    }
    return table;
}

Figure learning_rate_figure(const Json& found) {
    Panel panel;
    panel.x = {"learning rate of BackProp", Scale::kLog, {}, {}, false};
    panel.y = {"test error", Scale::kLog, {}, {}, true};
    Series backprop{"BackProp", SubjectIndex::kBackprop, {}, Mark::kLineAndDots, false};
    Series mfb{"MFB-BackProp, which has none", SubjectIndex::kMfb, {}, Mark::kLine, true};
    for (const Json& point : found["backprop"]) {
        backprop.points.push_back({point["rate"], point["median"], point["q1"], point["q3"]});
        mfb.points.push_back(
            {point["rate"], found["mfb"]["median"], found["mfb"]["q1"], found["mfb"]["q3"]});
    }
    panel.series = {std::move(backprop), std::move(mfb)};
    return {
        "learning-rate",
        "No learning rate to tune",
        fmt::format("Students of {} teachers with M = {}: median and quartiles of the test error.",
                    found["trials"].get<int>(), found["M"].get<int>()),
        {std::move(panel)},
        1};
}

/// One series per M of a list of {"M", "points"}.
std::vector<Series> curves(const Json& list, const char* x, const char* y) {
    std::vector<Series> all;
    for (const Json& curve : list) {
        Series series{fmt::format("M = {}", curve["M"].get<int>()),
                      4 + all.size(),
                      {},
                      Mark::kLineAndDots,
                      false};
        for (const Json& point : curve["points"]) {
            series.points.push_back({point[x], point[y], {}, {}});
        }
        all.push_back(std::move(series));
    }
    return all;
}

Figure certainty_figure(const Json& found) {
    Panel sure, apart;
    sure.title = "certainty, mean |tanh h|";
    apart.title = "answers in which MAP and mean differ";
    sure.x = apart.x = {"samples", Scale::kLog, {}, {}, false};
    sure.y = {"certainty", Scale::kLinear, 0.0, 1.0, false};
    apart.y = {"share of test samples", Scale::kLinear, 0.0, {}, true};
    sure.series = curves(found, "samples", "certainty");
    apart.series = curves(found, "samples", "disagreement");
    return {"certainty",
            "MAP and mean output approach each other",
            "Students of one teacher each.",
            {std::move(sure), std::move(apart)},
            2};
}

Figure increments_figure(const Json& found) {
    Panel moves, flips;
    moves.title = "mean |dh| per sample and weight";
    flips.title = "weights that change sign, per sample";
    moves.x = flips.x = {"samples", Scale::kLog, {}, {}, false};
    moves.y = {"|dh|", Scale::kLog, {}, {}, false};
    flips.y = {"sign changes", Scale::kLog, {}, {}, false};
    moves.series = curves(found["learning"], "samples", "mean");
    flips.series = curves(found["learning"], "samples", "flips");
    return {"increments",
            "Increments while a student learns",
            "M = 3 and 5 are learned without error: no weight changes its sign any more. Where the "
            "output's margin is 1 the sure weights go on growing, so |dh| itself need not vanish.",
            {std::move(moves), std::move(flips)},
            2};
}

Table increments_table(const Json& found) {
    Table table{
        {"output margin", "samples", "mean |dh|", "largest |dh|", "against a weight's sign"}, {}};
    for (const Json& row : found["certain"]) {
        table.rows.push_back({row["margin"].dump(), row["samples"].dump(),
                              fmt::format("{:.2g}", row["mean"].get<double>()),
                              fmt::format("{:.2g}", row["largest"].get<double>()),
                              row["against"].dump()});
    }
    return table;
}

Figure cost_figure(const Json& found) {
    Panel panel;
    panel.x = {"weights", Scale::kLog, {}, {}, false};
    panel.y = {"microseconds per sample, one thread", Scale::kLog, {}, {}, false};
    Series series{"MFB-BackProp", SubjectIndex::kMfb, {}, Mark::kLineAndDots, false};
    for (const Json& point : found["points"]) {
        series.points.push_back(
            {point["weights"], point["ns_per_sample"].get<double>() / 1000, {}, {}});
    }
    panel.series.push_back(std::move(series));
    return {"cost",
            "The cost of a step is linear in the number of weights",
            fmt::format("785 inputs, one output, a growing hidden layer. Slope {:.3f}.",
                        found["slope"].get<double>()),
            {std::move(panel)},
            1};
}

Table erratum_table(const Json& found) {
    Table table{
        {"M", "paper's prior: right", "as printed", "sure and wrong prior: right", "as printed"},
        {}};
    const auto cell = [&](const Json& form) {
        return Cell(fmt::format("{} ({} to {}), {} of {} solved", percent(form["median"]),
                                short_percent(form["q1"]), short_percent(form["q3"]),
                                form["solved"].get<int>(), found["trials"].get<int>()));
    };
    for (const Json& size : found["sizes"]) {
        table.rows.push_back({size["M"].dump(), cell(size["paper_prior"]["right"]),
                              cell(size["paper_prior"]["printed"]),
                              cell(size["sure_prior"]["right"]),
                              cell(size["sure_prior"]["printed"])});
    }
    return table;
}

std::string erratum_text(const Json& found) {
    const auto share = [&](std::size_t k, const char* form) {
        return percent(found["pushed_wrong"][k][form]);
    };
    return fmt::format(
        "The asymptotic form of G. As printed it lacks the factor y. A network that is sure of "
        "every weight gets a sample that it answers wrong; share of the output's weights that it "
        "pushes away from the label: label +1 {} as printed and {} with the factor, label -1 {} "
        "and {}. In double precision the branch is reached only beyond 38 standard deviations. The "
        "table shows students of {} teachers after {} samples, median test error and quartiles, "
        "with the paper's prior and with one that is sure of random weights (|h| = 20).",
        share(0, "printed"), share(0, "right"), share(1, "printed"), share(1, "right"),
        found["trials"].get<int>(), found["samples"].get<std::size_t>());
}

}  // namespace

report::Section claims_page(const Json& claims) {
    const auto found = [&](const char* name) -> const Json& { return claims[name]["results"]; };
    return {
        "What the paper says in words",
        {Paragraph{fmt::format(
             "Amplitude of the input. One epoch on {} raw MNIST images, without centring, scaling "
             "or constant: as they are, times 100, and times 128, which is exact in floating "
             "point.",
             found("amplitude")["images"].get<std::size_t>())},
         amplitude_table(found("amplitude")), learning_rate_figure(found("learning_rate")),
         increments_figure(found("increments")),
         Paragraph{"One step of a network that is sure of every weight (|h| = 20, M = 21), on "
                   "samples that it labels itself, by the margin of its output:"},
         increments_table(found("increments")), certainty_figure(found("certainty")),
         cost_figure(found("cost")), Paragraph{erratum_text(found("erratum"))},
         erratum_table(found("erratum"))}};
}

}  // namespace bitbayes::cli::reproduce
