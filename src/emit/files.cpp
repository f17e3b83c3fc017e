#include "emit/files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "base/atomic_file.hpp"
#include "bitbayes/types/error.hpp"
#include "emit/runtime_table.hpp"

namespace bitbayes::emit {

std::string_view runtime_file(std::string_view path) {
    for (const RuntimeFile& file : kRuntimeFiles) {
        if (file.path == path) return file.text;
    }
    throw std::logic_error(fmt::format("runtime/{} is not compiled in", path));
}

void check_folder(const std::string& folder, bool overwrite) {
    namespace fs = std::filesystem;
    std::error_code problem;
    if (!fs::exists(folder, problem)) return;
    if (!fs::is_directory(folder, problem)) {
        throw Error(ErrorCode::kIo, fmt::format("{}: not a folder", folder));
    }
    if (overwrite || fs::is_empty(folder, problem)) return;
    throw Error(ErrorCode::kIo, fmt::format("{}: not empty", folder),
                "another folder, or `force` to write into it; other files stay");
}

void write_files(const std::string& folder, const Files& files) {
    namespace fs = std::filesystem;
    for (const auto& [name, text] : files) {
        const fs::path path = fs::path(folder) / name;
        std::error_code problem;
        fs::create_directories(path.parent_path(), problem);
        if (problem) {
            throw Error(ErrorCode::kIo,
                        fmt::format("{}: {}", path.parent_path().string(), problem.message()));
        }
        write_atomically(path, text);
    }
}

void check_name(std::string_view name) {
    constexpr std::size_t kLongest = 32;
    const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    const auto inside = [&](char c) { return letter(c) || (c >= '0' && c <= '9') || c == '_'; };
    if (!name.empty() && name.size() <= kLongest && letter(name[0]) &&
        std::all_of(name.begin(), name.end(), inside)) {
        return;
    }
    throw Error(ErrorCode::kUsage, fmt::format("'{}' cannot be a name in C and Verilog", name),
                "a letter, then letters, digits and _, at most 32");
}

}  // namespace bitbayes::emit
