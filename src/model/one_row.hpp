#pragma once

#include <span>
#include <vector>

#include "bitbayes/dataset.hpp"

namespace bitbayes {

/// A data set of one row, without labels.
inline Dataset one_row(std::span<const double> features, const char* name) {
    Dataset data;
    data.name = name;
    data.rows = 1;
    data.features = features.size();
    data.values = std::vector<double>(features.begin(), features.end());
    return data;
}

}  // namespace bitbayes
