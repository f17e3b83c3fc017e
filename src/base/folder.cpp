#include "base/folder.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/atomic_file.hpp"
#include "bitbayes/types/error.hpp"

namespace bitbayes {

namespace fs = std::filesystem;

void check_folder(const std::string& folder, bool overwrite) {
    std::error_code problem;
    if (fs::exists(folder, problem) && !fs::is_directory(folder, problem)) {
        throw Error(ErrorCode::kIo, fmt::format("{}: not a folder", folder));
    }
    fs::path existing = fs::absolute(folder, problem);
    while (!fs::exists(existing, problem) && existing.has_relative_path()) {
        existing = existing.parent_path();
    }
    if (::access(existing.c_str(), W_OK) != 0) {
        throw Error(ErrorCode::kIo,
                    fmt::format("{}: cannot be written to: {}", folder, std::strerror(errno)));
    }
    if (overwrite || !fs::exists(folder, problem) || fs::is_empty(folder, problem)) return;
    throw Error(ErrorCode::kIo, fmt::format("{}: not empty", folder),
                "another folder, or `force` to write into it; other files stay");
}

void write_files(const std::string& folder, const FolderFiles& files) {
    for (const auto& [name, text] : files) {
        const fs::path path = fs::path(folder) / name;
        std::error_code problem;
        fs::create_directories(path.parent_path(), problem);
        if (problem) {
            throw Error(ErrorCode::kIo,
                        fmt::format("{}: cannot make the folder: {}", path.parent_path().string(),
                                    problem.message()));
        }
        write_atomically(path.string(), text);
    }
}

}  // namespace bitbayes
