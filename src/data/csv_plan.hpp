// What each column of a CSV file is used for, decided from its first record, the options and, if
// there is one, the model that the rows are for.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bitbayes/types/reading.hpp"

namespace bitbayes::data {

struct CsvPlan {
    bool header = false;                // the first record names the columns
    std::vector<std::size_t> features;  // their columns of the file, in the order of the model
    std::optional<std::size_t> label, id, group, weight;
    std::string roles;               // as in TableColumns
    std::vector<std::string> names;  // of all columns of the file; empty without a header
    std::vector<std::string> notes;
};

/// Error(kUsage) for an option that names a column that is not there, Error(kData) for a file that
/// lacks columns of the model. `where` is "FILE:LINE: " of the first record.
CsvPlan plan_csv(const std::vector<std::string_view>& first, const ReadOptions& options,
                 const std::string& file, const std::string& where);

}  // namespace bitbayes::data
