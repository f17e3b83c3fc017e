// Packages from the npm registry, through the npm program.
#pragma once

#include <string>

namespace bitbayes::tools {

/// The bytes of the package's .tgz, by `npm pack` in a temporary folder. None of npm's output
/// reaches our stdout or stderr. Error(kUnavailable) if npm is missing or fails; `otherwise` is the
/// alternative that its hint suggests.
std::string npm_pack(const std::string& package, const std::string& otherwise);

}  // namespace bitbayes::tools
