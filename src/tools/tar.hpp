// The plain files of a tar archive (ustar), one after the other.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "data/input.hpp"

namespace bitbayes::tools {

using TarVisitor = std::function<void(const std::string& name, std::string_view bytes)>;

/// Error(kData) for a damaged or truncated archive.
void for_each_tar_member(data::Input& input, const TarVisitor& visit);

}  // namespace bitbayes::tools
