// The table of a sweep: one row per run, in the order of the file, whoever did it and when.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sweep/config.hpp"
#include "sweep/plan.hpp"
#include "terminal/run_folder.hpp"

namespace bitbayes::cli::sweep {

struct Row {
    const Run* run;
    std::vector<std::string> values;  // of the varied options
    Json results;                     // as test_run() gives them, or {"failed": why}
    double seconds = 0;

    bool failed() const { return results.contains("failed"); }
    /// nullopt if it has no such figure.
    std::optional<double> figure(const std::string& name) const;
};

struct Results {
    std::vector<const TrainOption*> varied;
    std::vector<Row> rows;
    std::string figure;               // that chooses the best
    std::optional<std::size_t> best;  // the first of the lowest; none if no run has the figure
    std::size_t failed = 0;
};

/// Error(kInternal) if a run is missing.
Results collect(const Config& config, const std::vector<Run>& runs, const RunFolder& folder);

/// No times: the same runs give the same bytes.
std::string to_csv(const Results& results);
/// For a terminal; the best is marked.
std::string to_table(const Results& results);
Json to_json(const Config& config, const Data& data, const Results& results);

/// "tree 21, seed 3"; "default options" if none is varied.
std::string settings_text(const Results& results, const Row& row);
/// A figure as tables show it; "-" without.
std::string figure_text(const Row& row, const std::string& figure);

}  // namespace bitbayes::cli::sweep
