#include "tools/temporary_folder.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "bitbayes/types/error.hpp"

namespace bitbayes::tools {

namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder() {
    std::string pattern = fs::temp_directory_path() / "bitbayes-XXXXXX";
    if (!mkdtemp(pattern.data())) {
        throw Error(ErrorCode::kIo, fmt::format("{}: {}", pattern, std::strerror(errno)));
    }
    path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

}  // namespace bitbayes::tools
