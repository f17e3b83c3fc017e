#pragma once

#include <string>

namespace bitbayes::cli {

/// What the system calls its processor.
std::string cpu_name();

}  // namespace bitbayes::cli
