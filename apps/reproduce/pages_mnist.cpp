#include <fmt/format.h>

#include <algorithm>

#include "reproduce/findings.hpp"
#include "reproduce/pages.hpp"

namespace bitbayes::cli::reproduce {

namespace {

using namespace report;

Series history_series(const Json& run, const char* figure, const std::string& name,
                      std::size_t colour) {
    Series series{name, colour, {}, Mark::kLineAndDots, false};
    for (const Json& epoch : run["history"]) {
        series.points.push_back({epoch["epoch"], epoch[figure], {}, {}});
    }
    return series;
}

/// Adds the lowest and highest of all seeds that have the epoch.
void add_band(Series& series, const std::vector<Json>& runs, const char* figure) {
    if (runs.size() < 2) return;
    const std::size_t shared = seed_spread(runs, figure).epoch;
    for (std::size_t e = 1; e <= shared; ++e) {
        std::vector<double> errors;
        for (const Json& run : runs) errors.push_back(error_after(run, figure, e));
        series.points[e - 1].low = *std::min_element(errors.begin(), errors.end());
        series.points[e - 1].high = *std::max_element(errors.begin(), errors.end());
    }
}

Axis epochs() { return {"epoch", Scale::kLinear, 0.0, {}, false}; }

/// Fig. 1B.
Figure algorithms_figure(const Json& mnist) {
    Panel all, zoom;
    all.x = zoom.x = epochs();
    all.y = {"test error", Scale::kLinear, 0.0, 0.6, true};
    zoom.y = {"test error", Scale::kLinear, 0.0, 0.1, true};
    zoom.title = "below 10 %";
    for (const Subject& subject : kSubjects) {
        const auto runs = runs_of(mnist, subject.algorithm, "center");
        Series series = history_series(runs.front(), subject.figure, subject.name, subject.colour);
        add_band(series, runs, subject.figure);
        all.series.push_back(series);
        zoom.series.push_back(std::move(series));
        const Reference line{fmt::format("paper: {}", percent(subject.paper)), subject.paper,
                             subject.colour};
        (subject.paper > 0.1 ? all : zoom).references.push_back(line);
    }
    make_room_for_dots(all);
    zoom.references.push_back({"literature: 4.70 %", kLiterature, {}});
    return {
        "mnist",
        "MNIST: test error of a 785x(301x10)x10 network (Fig. 1B)",
        "Bands: lowest and highest over the seeds, as far as all of them ran. Lines across: the "
        "paper's final figures, and a fully connected 785x300x10 network of real weights.",
        {std::move(all), std::move(zoom)},
        1};
}

Figure preprocessing_figure(const Json& mnist) {
    Figure figure{
        "mnist-preprocessing",
        "MNIST: preprocessing decides",
        "MFB-BackProp. `center`: each pixel's mean removed, one scale for all. "
        "`standardize`: each pixel to mean 0 and variance 1. `global`: one mean and one "
        "scale for all pixels. `none`: as they are. Evidence 10: each sample counts ten times.",
        {},
        2};
    for (const SubjectIndex index : {SubjectIndex::kMfb, SubjectIndex::kPmfb}) {
        const Subject& subject = kSubjects[index];
        Panel panel;
        panel.title = subject.name;
        panel.x = epochs();
        panel.y = {"test error", Scale::kLog, {}, {}, true};
        std::size_t colour = 4;
        for (const char* name : kPreprocessings) {
            const Json run = runs_of(mnist, "mfb", name).front();
            panel.series.push_back(history_series(run, subject.figure, name, colour++));
        }
        panel.series.push_back(
            history_series(evidence_run(mnist), subject.figure, "center, evidence 10", colour));
        figure.panels.push_back(std::move(panel));
    }
    return figure;
}

Table preprocessing_table(const Json& mnist) {
    const auto epoch = runs_of(mnist, "mfb", "global").front()["history"].size();
    Table table{{"preprocessing", fmt::format("MFB-BackProp, epoch {}", epoch),
                 fmt::format("PMFB-BackProp, epoch {}", epoch)},
                {}};
    for (const char* name : kPreprocessings) {
        const Json run = runs_of(mnist, "mfb", name).front();
        table.rows.push_back({name, percent(error_after(run, "error_map", epoch)),
                              percent(error_after(run, "error_mean", epoch))});
    }
    const Json& surer = evidence_run(mnist);
    table.rows.push_back({fmt::format("center, evidence {}", surer["evidence"].get<double>()),
                          percent(last_error(surer, "error_map")),
                          percent(last_error(surer, "error_mean"))});
    return table;
}

std::string seeds_text(const SeedSpread& spread) {
    if (spread.seeds == 1) return "one seed";
    return fmt::format("{} to {} ({} seeds, epoch {})", percent(spread.low), percent(spread.high),
                       spread.seeds, spread.epoch);
}

Table algorithms_table(const Json& mnist) {
    Table table{{"algorithm", "paper", "here", "epochs", "over the seeds"}, {}};
    for (const Subject& subject : kSubjects) {
        const auto runs = runs_of(mnist, subject.algorithm, "center");
        const SeedSpread spread = seed_spread(runs, subject.figure);
        table.rows.push_back({subject.name, percent(subject.paper),
                              percent(last_error(runs.front(), subject.figure)),
                              std::to_string(runs.front()["history"].size()), seeds_text(spread)});
    }
    return table;
}

Figure single_layer_figure(const Json& single_layer) {
    const auto binary = runs_of(single_layer, "mfb", "center");
    const auto real = best_rate_runs(single_layer);
    Series first =
        history_series(binary.front(), "error_map", "binary weights, MFB-BackProp", kMfb);
    Series second = history_series(real.front(), "error_mean", "real weights, BackProp", kBackprop);
    add_band(first, binary, "error_map");
    add_band(second, real, "error_mean");
    Panel panel;
    panel.x = epochs();
    panel.y = {"test error", Scale::kLinear, 0.0, {}, true};
    panel.series = {std::move(first), std::move(second)};
    panel.references = {{"paper, binary: 29 %", kSingleBinary, kMfb},
                        {"literature, real: 12 %", kSingleReal, kBackprop}};
    return {"single-layer",
            "A single layer on MNIST",
            "Bands: lowest and highest over the seeds.",
            {std::move(panel)},
            1};
}

Table rates_table(const Json& single_layer) {
    const Json taken = best_rate_runs(single_layer).front();
    Table table{
        {"learning rate of BackProp", "training error, last epoch", "test error", "clipped"}, {}};
    for (const Json& run : runs_of(single_layer, "backprop", "center")) {
        if (run["seed"] != taken["seed"]) continue;
        const bool chosen = run["learning_rate"] == taken["learning_rate"];
        table.rows.push_back(
            {fmt::format("{}{}", run["learning_rate"].get<double>(), chosen ? " (taken)" : ""),
             percent(last_error(run, "error_progressive")), percent(last_error(run, "error_mean")),
             percent(last_error(run, "error_map"))});
    }
    return table;
}

}  // namespace

report::Section mnist_page(const Json& mnist) {
    const Json& first = mnist["runs"].front();
    return {
        "MNIST",
        {Paragraph{fmt::format("{} weights, {} training images in a new random order every epoch, "
                               "a constant 1 added to the input, the label read from the output "
                               "neuron that is the surest. BackProp with the paper's learning "
                               "rate, 0.001.",
                               first["weights"].get<std::size_t>(),
                               first["rows"].get<std::size_t>())},
         algorithms_figure(mnist), algorithms_table(mnist),
         Paragraph{
             "The paper says that it removed the means and normalised the input, not over what. "
             "Binary weights cannot rescale a pixel, so this matters more than for BackProp:"},
         preprocessing_figure(mnist), preprocessing_table(mnist),
         Paragraph{fmt::format(
             "The paper lets the output with the highest input win. For the posterior mean that "
             "can be mu or mu / sigma. The same trained network errs on {} of the test images with "
             "mu, on {} with mu / sigma, which bitbayes uses.",
             percent(mnist["readout"]["results"]["highest_input"]),
             percent(last_error(runs_of(mnist, "mfb", "center").front(), "error_mean")))}}};
}

report::Section single_layer_page(const Json& single_layer) {
    const auto prepared = by_preprocessing(single_layer, "mfb", "error_map", kSingleBinary);
    return {"Single layer",
            {Paragraph{"785x10 on MNIST: what a network without a hidden layer can do."},
             single_layer_figure(single_layer), rates_table(single_layer),
             Paragraph{fmt::format("Binary weights by preprocessing, after {}: {}. The paper's "
                                   "figure, 29 %, is nearest to that of {}.",
                                   counted(prepared.epoch, "epoch"), prepared.text,
                                   prepared.nearest)}}};
}

}  // namespace bitbayes::cli::reproduce
