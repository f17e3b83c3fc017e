#include <fmt/format.h>

#include "reproduce/findings.hpp"
#include "reproduce/pages.hpp"

namespace bitbayes::cli::reproduce {

namespace {

using namespace report;

Series size_series(const std::vector<Json>& runs, const char* figure, const std::string& name,
                   std::size_t colour, Mark mark) {
    Series series{name, colour, {}, mark, false};
    for (const Json& run : runs) {
        series.points.push_back({bytes_of(run), last_error(run, figure), {}, {}});
    }
    return series;
}

Figure size_figure(const Json& dense) {
    const auto trees = trees_of(dense), networks = dense_networks_of(dense);
    Panel panel;
    panel.x = {"bytes of weights, one bit each", Scale::kLog, {}, {}, false};
    panel.y = {"test error", Scale::kLinear, 0.0, {}, true};
    panel.series = {size_series(trees, "error_map", "tree, clipped", kMfb, Mark::kLineAndDots),
                    size_series(trees, "error_mean", "tree, mean", kPmfb, Mark::kLineAndDots),
                    size_series(networks, "error_map", "dense, clipped", 5, Mark::kDots),
                    size_series(networks, "error_mean", "dense, mean", 4, Mark::kDots)};
    return {"dense",
            "MNIST: error over bytes, trees and dense networks",
            fmt::format("After {}, one seed. Clipped: every weight +1 or -1, the network that "
                        "hardware runs. Mean: the Bayes average over the posterior.",
                        counted(dense["runs"].front()["epochs"], "epoch")),
            {std::move(panel)},
            1};
}

Table size_table(const Json& dense) {
    Table table{{"network", "bytes of weights", "clipped", "mean", "NLL of the mean", "seconds"},
                {}};
    for (const auto& runs : {trees_of(dense), dense_networks_of(dense)}) {
        for (const Json& run : runs) {
            table.rows.push_back(
                {run["architecture"].get<std::string>(), fmt::format("{:.0f}", bytes_of(run)),
                 percent(last_error(run, "error_map")), percent(last_error(run, "error_mean")),
                 fmt::format("{:.3f}", run["nll"].get<double>()),
                 fmt::format("{:.1f}", run["seconds"].get<double>())});
        }
    }
    return table;
}

}  // namespace

report::Section dense_page(const Json& results) {
    const Json& dense = results["dense"];
    const double evidence = dense_networks_of(dense).front()["evidence"];
    Section page{
        "Beyond the paper: dense",
        {Paragraph{fmt::format(
             "In the paper's trees each output has hidden neurons of its own. The hidden neurons "
             "of a "
             "dense network serve all outputs. Trees learn as in the paper, row by row; dense "
             "networks as `train` does by default, in batches and with evidence {}. 785-512-10 has "
             "one dense hidden layer of 512 neurons; in 785-512-(21x10)-10 a tree of "
             "21 neurons per output stands on it.",
             evidence)},
         size_figure(dense), size_table(dense)}};
    if (results.contains("mnist")) {
        const Json& surer = evidence_run(results["mnist"]);
        page.blocks.push_back(Paragraph{fmt::format(
            "Trees can be given more evidence, too: 785x(301x10)x10 with `--evidence {}` errs "
            "on {} clipped "
            "and on {} as a mean after {}.",
            surer["evidence"].get<double>(), percent(last_error(surer, "error_map")),
            percent(last_error(surer, "error_mean")), counted(surer["history"].size(), "epoch"))});
    }
    return page;
}

}  // namespace bitbayes::cli::reproduce
