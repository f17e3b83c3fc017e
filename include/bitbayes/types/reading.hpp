// How a table is read.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "bitbayes/types/dataset.hpp"

namespace bitbayes {

enum class Split { kWhole, kTrain, kTest };

/// What one DATA argument names. `test` has no rows if the data has one split only.
struct LoadedData {
    Dataset train;
    Dataset test;
    bool has_test() const { return test.rows > 0; }
};

struct ReadOptions {
    std::string format;               // "", "csv", "libsvm", "idx", "npz"; empty: detect
    std::string label = "last";       // CSV: last, first, an index from 0, or a column name
    std::vector<std::string> ignore;  // CSV: columns to leave out, by index or name
    /// If known (not 0): a CSV with exactly this many columns has no label; LIBSVM indices above it
    /// are left out.
    std::size_t expected_features = 0;
};

}  // namespace bitbayes
