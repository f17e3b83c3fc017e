// The figures that train, update, eval and info share, as JSON and as tables.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bitbayes/types/reports.hpp"
#include "learn/live_model.hpp"
#include "terminal/output.hpp"

namespace bitbayes::cli {

struct RunFigures {
    const learn::LiveModel& network;  // the first member
    std::size_t members = 1;
    std::size_t rows = 0;
    unsigned threads = 0;
    std::optional<double> seconds = std::nullopt;  // training only
    double seconds_auto = 0, seconds_polish = 0;   // of choosing the evidence, of polishing
    std::optional<double> error_progressive = std::nullopt;
    std::optional<Evaluation> evaluation = std::nullopt;
};

/// Null for MFB, which has no learning rate.
Json learning_rate_json(const learn::ModelState& model);

Json run_json(const RunFigures& run);
/// "-" for figures that BackProp does not have.
/// A note if the clipped network errs much more often than the Bayes average does on the same rows.
void note_clipping(const Common& common, double error_map, double error_mean);

/// A share of legal output patterns for a table: with two classes every pattern of the one output is.
std::string validity_text(double share, std::size_t classes);
std::string evaluation_table(const Evaluation& evaluation);
/// All figures but those of the evaluation.
std::string run_table(const RunFigures& run);

/// One object per epoch: a line of --metrics, an element of `history`.
Json epoch_json(const EpochReport& report);

std::string table_row(const std::string& name, const std::string& value);

std::string algorithm_text(const learn::ModelState& model);

/// 785x(301x10)x10: inputs, hidden layers as trees per output, outputs; 785-512-(21x10)-10 if hidden
/// layers are dense.
std::string architecture_text(const learn::Architecture& architecture);

/// Names in one printable line, long ones shortened; of many the first ones.
std::string names_text(const std::vector<std::string>& names);

/// The number of threads that worked, of those asked for; 0: all cores.
unsigned threads_used(unsigned asked);
/// A note if not all could be started; returns whether there was one.
bool note_threads(const Common& common, unsigned asked);

}  // namespace bitbayes::cli
