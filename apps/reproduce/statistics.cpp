#include "reproduce/statistics.hpp"

#include <algorithm>
#include <cmath>

namespace bitbayes::cli::reproduce {

double quantile(std::vector<double> values, double p) {
    std::sort(values.begin(), values.end());
    const double place = p * static_cast<double>(values.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const auto above = std::min(below + 1, values.size() - 1);
    return std::lerp(values[below], values[above], place - static_cast<double>(below));
}

Json spread_json(const std::vector<double>& values) {
    return {{"best", quantile(values, 0)},
            {"q1", quantile(values, 0.25)},
            {"median", quantile(values, 0.5)},
            {"q3", quantile(values, 0.75)}};
}

}  // namespace bitbayes::cli::reproduce
