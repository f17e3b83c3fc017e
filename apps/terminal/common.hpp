#pragma once

#include <string>

namespace bitbayes::cli {

/// Accepted by every command.
struct Common {
    bool json = false;
    bool quiet = false;
    bool verbose = false;
    bool force = false;
    std::string progress = "auto";
};

}  // namespace bitbayes::cli
