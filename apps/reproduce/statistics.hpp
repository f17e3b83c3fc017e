// Figures over trials.
#pragma once

#include <vector>

#include "terminal/output.hpp"

namespace bitbayes::cli::reproduce {

/// Interpolates linearly between the sorted values; p = 0.5 is the median.
double quantile(std::vector<double> values, double p);

/// {"best", "q1", "median", "q3"}; best is the lowest.
Json spread_json(const std::vector<double>& values);

}  // namespace bitbayes::cli::reproduce
