// What is written once all runs of a sweep are done.
#pragma once

#include <functional>
#include <vector>

#include "sweep/config.hpp"
#include "sweep/data.hpp"
#include "sweep/plan.hpp"
#include "sweep/sweep.hpp"
#include "terminal/run_folder.hpp"

namespace bitbayes::cli::sweep {

struct Finish {
    const Request& request;
    const Config& config;
    const Data& data;
    const std::vector<Run>& runs;
    const RunFolder& folder;
    unsigned threads;
};

/// Writes the tables, the report and the model of the best run. Error(kInterrupted) if `go_on` says no.
Outcome finish_sweep(const Finish& what, const std::function<bool()>& go_on);

}  // namespace bitbayes::cli::sweep
