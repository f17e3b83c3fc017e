// Packages from the npm registry, through the npm program.
#pragma once

#include <string>

namespace bitbayes::tools {

/// The bytes of the package's .tgz, by `npm pack` in a temporary folder. Nothing of npm's talk
/// reaches our stdout or stderr. Error(kUnavailable) if npm is missing or fails; `otherwise` is
/// what the hint offers instead.
std::string npm_pack(const std::string& package, const std::string& otherwise);

}  // namespace bitbayes::tools
