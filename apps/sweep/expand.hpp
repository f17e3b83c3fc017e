// From a sweep's file to the options of each run.
#pragma once

#include <vector>

#include "sweep/config.hpp"

namespace bitbayes::cli::sweep {

/// Settings of every run, [options] first, so that later ones replace earlier ones. Draws are combined
/// with every point of the grid; [[runs]] come last. Draw k does not depend on how many there are, nor on
/// what else is drawn. Error(kUsage) for more runs than kMaxRuns.
std::vector<Settings> expand(const Config& config);

inline constexpr std::size_t kMaxRuns = 100000;

}  // namespace bitbayes::cli::sweep
