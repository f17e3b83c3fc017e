// How a table is read.
#pragma once

#include <cstddef>
#include <functional>
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
    std::string format;  // "", "csv", "libsvm", "idx", "npz"; empty: detect
    /// CSV: last, first, an index from 0, or a column name; empty: that of `known`, else the last.
    std::string label;
    /// CSV: columns by index or name.
    std::vector<std::string> ignore;       // left out
    std::vector<std::string> categorical;  // their cells are words, even if they look like numbers
    std::string id;                        // becomes Dataset::ids; empty: none
    std::string group;                     // becomes Dataset::groups
    std::string row_weight;                // becomes Dataset::weights
    std::string header;                    // CSV: "yes", "no"; empty: detect
    /// The columns that a model was trained on, e.g. Model::reading().known. Named columns are
    /// found by name in any order, columns of words get the codes of the model, the label column may
    /// be missing, and LIBSVM indices above `known.features` are left out.
    TableColumns known;
    /// Asked when the input ends in the middle of a line: true if it was cut short, so that the rest
    /// of a line is not a row.
    std::function<bool()> cut_short;
    /// Bytes that the table may take; 0: 64 MiB and 200 for each byte of the (compressed) file.
    std::size_t max_memory = 0;
};

}  // namespace bitbayes
