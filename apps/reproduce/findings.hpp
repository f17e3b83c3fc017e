// Queries on results.json that verdicts and pages use.
#pragma once

#include <string>
#include <vector>

#include "reproduce/subjects.hpp"
#include "terminal/output.hpp"

namespace bitbayes::cli::reproduce {

/// The runs of an experiment with this algorithm and preprocessing, each sample counted once, in the
/// order of their seeds.
std::vector<Json> runs_of(const Json& experiment, const std::string& algorithm,
                          const std::string& preprocess);

/// The run of MFB on MNIST in which each sample counts several times.
const Json& evidence_run(const Json& mnist);

/// The error of a run after `epoch` (from 1), or after its last one.
double error_after(const Json& run, const std::string& figure, std::size_t epoch);
double last_error(const Json& run, const std::string& figure);

/// The error of an algorithm with each preprocessing, one seed, after the last epoch that all of them have:
/// "`center` 3.8 %, ...".
struct ByPreprocessing {
    std::size_t epoch = 0;
    std::string text;
    std::string nearest;  // the preprocessing whose error is nearest to `paper`
};
ByPreprocessing by_preprocessing(const Json& experiment, const std::string& algorithm,
                                 const std::string& figure, double paper);

/// Largest minus smallest over runs, after the last epoch that all of them have.
struct SeedSpread {
    std::size_t seeds = 0, epoch = 0;
    double low = 0, high = 0;

    double width() const { return high - low; }
};
SeedSpread seed_spread(const std::vector<Json>& runs, const std::string& figure);

/// The standard error of an error rate measured on `samples` test samples.
double standard_error(double error, double samples);

/// Single layer, BackProp: the run whose training error of the last epoch is the lowest, per seed.
std::vector<Json> best_rate_runs(const Json& single_layer);

/// The paper's trees, and the networks with dense layers, of the experiment `dense`, smallest first.
std::vector<Json> trees_of(const Json& dense);
std::vector<Json> dense_networks_of(const Json& dense);

/// Bytes of a binary network's weights, one bit each.
double bytes_of(const Json& run);
/// "295.7 kB"
std::string kilobytes(double bytes);

/// "3.8 %", with a digit more below 10 %.
std::string short_percent(double fraction);

}  // namespace bitbayes::cli::reproduce
