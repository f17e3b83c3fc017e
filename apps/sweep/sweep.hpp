// `bitbayes sweep`: the same network with many options.
//
//   DIR/sweep.json      the data, and how runs are tested
//   DIR/runs/NAME.json  one run each (terminal/run_folder.hpp)
//   DIR/results.csv, results.json, report.html, best.bb    once all are done
#pragma once

#include <string>

#include "terminal/output.hpp"

namespace bitbayes::cli::sweep {

struct Request {
    Common common;
    std::string config, folder;
    unsigned threads = 0;
    bool retry = false;  // failed runs
};

struct Outcome {
    Json object;
    std::string table;
    std::size_t failed = 0, runs = 0;
};

/// Does what is missing, together with the other ranks and whoever else works in the folder. Only rank 0
/// has object and table.
Outcome run_sweep(const Request& request);

}  // namespace bitbayes::cli::sweep
