// JSON from files that cannot be trusted.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace bitbayes::container {

/// Error(kModel) "NAME: WHAT ..." for text that is not JSON, nests deeper than `depth` or repeats a
/// key.
nlohmann::json parse_json(std::string_view text, int depth, const std::string& name,
                          const std::string& what);

}  // namespace bitbayes::container
