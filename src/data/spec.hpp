// DATA as the command line names it: NAME, FOLDER, IMAGES,LABELS, FILE or "-", then maybe :train or
// :test, then maybe #A:B.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bitbayes/types/reading.hpp"

namespace bitbayes::data {

struct DataSpec {
    std::string source;
    Split split = Split::kWhole;
    std::optional<std::pair<std::size_t, std::size_t>> rows;  // first, and one past the last
};

/// A suffix is not split off where a file of the unsplit name exists. Error(kUsage) for a malformed
/// #A:B.
DataSpec parse_spec(const std::string& data);

/// The files that loading `data` would read, as far as they are known by name; "-" is /dev/stdin.
std::vector<std::string> files_of(const std::string& data);

/// See bitbayes/read.hpp.
LoadedData load_data(const std::string& data, const ReadOptions& options = {});
Dataset load_dataset(const std::string& data, const ReadOptions& options = {},
                     Split preferred = Split::kTest);

}  // namespace bitbayes::data
