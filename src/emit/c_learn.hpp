// A network that learns on the device, as C99 without floating point, heap or library calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "device/network.hpp"
#include "emit/files.hpp"

namespace bitbayes::emit {

struct LearnFigures {
    std::size_t flash_bytes = 0;  // tables, and what bbnet_reset() restores
    std::size_t state_bytes = 0;  // RAM: sizeof(NAME_state)
    std::size_t row_bytes = 0;    // RAM: the caller's row
    std::size_t weights = 0;      // learned, one byte each
};

LearnFigures learn_figures(const device::Network& network);

/// NAME.h, NAME.c, README.md, report.json and example/main.c. `example`: quantised columns of a row;
/// empty: missing values. Error(kUsage) for a name that check_name refuses.
Files emit_learning_c(const device::Network& network, const std::string& name,
                      const std::vector<std::int16_t>& example = {});

std::string learn_readme(const device::Network& network, const std::string& name);

/// The text of a program that learns rows and writes what it answers; see runtime/c/learn_verify.c.
std::string learn_verify_main(const device::Network& network, const std::string& name);

}  // namespace bitbayes::emit
