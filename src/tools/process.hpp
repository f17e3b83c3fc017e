// Other programs: npm, compilers, simulators.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace bitbayes::tools {

struct Process {
    std::vector<std::string> words;  // the program, found on the PATH, and its arguments
    std::filesystem::path folder = ".";
    std::string input = "/dev/null";   // a file
    std::string output = "/dev/null";  // a file: standard output and errors
    double seconds = 0;                // killed after this time; 0: never
    std::string temporary = "";        // TMPDIR; empty: as ours
};

/// Runs a program and waits for it. Returns the exit status (128 + signal if one killed it), or
/// nullopt if there is no such program.
std::optional<int> run(const Process& process);

}  // namespace bitbayes::tools
