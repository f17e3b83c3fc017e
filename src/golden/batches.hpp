// Golden vectors of dense networks: kind "batches".
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "golden/golden.hpp"

namespace bitbayes::golden {

GoldenReport check_batches(const nlohmann::json& file);

}  // namespace bitbayes::golden
