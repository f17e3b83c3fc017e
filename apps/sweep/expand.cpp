#include "sweep/expand.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/philox.hpp"
#include "bitbayes/types/error.hpp"

namespace bitbayes::cli::sweep {

namespace {

/// FNV-1a: the stream of an option, so that its draws depend on its name alone.
std::uint32_t stream_of(std::string_view name) {
    std::uint32_t hash = 2166136261u;
    for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
    return hash;
}

bool is_whole(const TrainOption& option) {
    const auto& member = option.member;
    return !std::holds_alternative<double TrainOptions::*>(member) &&
           !std::holds_alternative<std::optional<double> TrainOptions::*>(member) &&
           !std::holds_alternative<std::vector<double> TrainOptions::*>(member) &&
           !std::holds_alternative<Evidence TrainOptions::*>(member);
}

/// Real numbers have four digits, so that the last bit of a logarithm does not make another run.
std::string draw(const DrawRange& range, std::uint64_t seed, std::uint64_t k) {
    const Philox random(seed, Purpose::kSweep, stream_of(range.option->name));
    if (!range.values.empty()) return range.values[random.below(range.values.size(), k)];
    const bool whole = is_whole(*range.option);
    const double low = range.low, high = range.high + (whole ? 1 : 0), u = random.uniform(k);
    const double x = range.log ? low * std::exp(u * std::log(high / low)) : low + u * (high - low);
    if (!whole) return fmt::format("{:.4g}", x);
    return fmt::format("{:.0f}", std::min(std::floor(x), range.high));
}

void check_count(const Config& config, std::size_t runs) {
    if (runs <= kMaxRuns) return;
    throw Error(ErrorCode::kUsage, fmt::format("{}: more than {} runs", config.name, kMaxRuns),
                "shorter lists, or `draws`");
}

/// Each of `before` with each value of the axis.
std::vector<Settings> times(const std::vector<Settings>& before, const GridAxis& axis) {
    std::vector<Settings> all;
    for (const Settings& settings : before) {
        for (const std::string& value : axis.values) {
            all.push_back(settings);
            all.back().emplace_back(axis.option, value);
        }
    }
    return all;
}

}  // namespace

std::vector<Settings> expand(const Config& config) {
    std::vector<Settings> all;
    if (!config.grid.empty() || config.runs.empty()) all.push_back(config.options);
    check_count(config, config.draws);
    if (config.draws > 0) all.clear();
    for (std::uint64_t k = 0; k < config.draws; ++k) {
        all.push_back(config.options);
        for (const DrawRange& range : config.draw) {
            all.back().emplace_back(range.option, draw(range, config.draw_seed, k));
        }
    }
    for (const GridAxis& axis : config.grid) {
        check_count(config, all.size() * axis.values.size());
        all = times(all, axis);
    }
    for (const Settings& run : config.runs) {
        all.push_back(config.options);
        all.back().insert(all.back().end(), run.begin(), run.end());
    }
    check_count(config, all.size());
    return all;
}

}  // namespace bitbayes::cli::sweep
