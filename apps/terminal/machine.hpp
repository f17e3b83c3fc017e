#pragma once

#include <string>

namespace bitbayes::cli {

/// The processor's name as the system reports it.
std::string cpu_name();

}  // namespace bitbayes::cli
