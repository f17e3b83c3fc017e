#include "reproduce/findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <stdexcept>

namespace bitbayes::cli::reproduce {

namespace {

std::vector<Json> networks(const Json& experiment, bool dense) {
    std::vector<Json> found;
    for (const Json& run : experiment["runs"]) {
        if (run["dense"].empty() != dense) found.push_back(run);
    }
    std::sort(found.begin(), found.end(),
              [](const Json& a, const Json& b) { return bytes_of(a) < bytes_of(b); });
    return found;
}

}  // namespace

std::vector<Json> runs_of(const Json& experiment, const std::string& algorithm,
                          const std::string& preprocess) {
    std::vector<Json> found;
    for (const Json& run : experiment["runs"]) {
        const bool once = run["evidence"] == 1;
        if (once && run["algorithm"] == algorithm && run["preprocess"] == preprocess) {
            found.push_back(run);
        }
    }
    return found;
}

const Json& evidence_run(const Json& mnist) {
    for (const Json& run : mnist["runs"]) {
        if (run["evidence"] != 1) return run;
    }
    throw std::logic_error("no such run");
}

double error_after(const Json& run, const std::string& figure, std::size_t epoch) {
    return run["history"][epoch - 1][figure];
}

double last_error(const Json& run, const std::string& figure) {
    return run["history"].back()[figure];
}

ByPreprocessing by_preprocessing(const Json& experiment, const std::string& algorithm,
                                 const std::string& figure, double paper) {
    std::vector<Json> runs;
    for (const char* name : kPreprocessings) {
        runs.push_back(runs_of(experiment, algorithm, name).front());
    }
    ByPreprocessing found{seed_spread(runs, figure).epoch, "", ""};
    double smallest_gap = 1;
    for (const Json& run : runs) {
        const double error = error_after(run, figure, found.epoch);
        const auto name = fmt::format("`{}`", run["preprocess"].get<std::string>());
        found.text +=
            fmt::format("{}{} {}", found.text.empty() ? "" : ", ", name, short_percent(error));
        if (std::fabs(error - paper) < smallest_gap) {
            smallest_gap = std::fabs(error - paper);
            found.nearest = name;
        }
    }
    return found;
}

SeedSpread seed_spread(const std::vector<Json>& runs, const std::string& figure) {
    SeedSpread spread{runs.size(), SIZE_MAX, 1, 0};
    for (const Json& run : runs) spread.epoch = std::min(spread.epoch, run["history"].size());
    for (const Json& run : runs) {
        const double error = error_after(run, figure, spread.epoch);
        spread.low = std::min(spread.low, error);
        spread.high = std::max(spread.high, error);
    }
    return spread;
}

double standard_error(double error, double samples) {
    return std::sqrt(error * (1 - error) / samples);
}

std::vector<Json> best_rate_runs(const Json& single_layer) {
    std::map<std::uint64_t, Json> best;
    for (const Json& run : runs_of(single_layer, "backprop", "center")) {
        Json& held = best[run["seed"]];
        if (held.is_null() ||
            last_error(run, "error_progressive") < last_error(held, "error_progressive")) {
            held = run;
        }
    }
    std::vector<Json> runs;
    for (auto& [seed, run] : best) runs.push_back(std::move(run));
    return runs;
}

std::vector<Json> trees_of(const Json& dense) { return networks(dense, false); }

std::vector<Json> dense_networks_of(const Json& dense) { return networks(dense, true); }

double bytes_of(const Json& run) { return run["weights"].get<double>() / 8; }

std::string kilobytes(double bytes) { return fmt::format("{:.1f} kB", bytes / 1000); }

std::string short_percent(double fraction) {
    return fmt::format("{:.{}f} %", 100 * fraction, fraction < 0.1 ? 2 : 1);
}

}  // namespace bitbayes::cli::reproduce
