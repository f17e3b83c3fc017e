// What accompanies exported C: its README.md and an example.
#pragma once

#include <string>

#include "emit/c.hpp"

namespace bitbayes::emit {

std::string c_readme(const packed::Network& network, const COptions& options);

/// example/main.c; for Arduino library.properties and examples/Demo/Demo.ino.
Files c_example(const packed::Network& network, const COptions& options);

/// The command that compiles the example, in the folder of the export.
std::string c_build_command(const COptions& options);

}  // namespace bitbayes::emit
