#include "emit/files.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <stdexcept>

#include "bitbayes/types/error.hpp"
#include "emit/names.hpp"
#include "emit/runtime_table.hpp"

namespace bitbayes::emit {

std::string_view runtime_file(std::string_view path) {
    for (const RuntimeFile& file : kRuntimeFiles) {
        if (file.path == path) return file.text;
    }
    throw std::logic_error(fmt::format("runtime/{} is not compiled in", path));
}

std::vector<std::string_view> runtime_paths() {
    std::vector<std::string_view> paths;
    for (const RuntimeFile& file : kRuntimeFiles) paths.push_back(file.path);
    return paths;
}

void check_files(const std::string& name, const Files& files) {
    for (const auto& [path, text] : files) {
        const std::string stem = std::filesystem::path(path).stem();
        if (stem == name || lower_case(stem) != lower_case(name)) continue;
        throw Error(ErrorCode::kUsage,
                    fmt::format("'{}' cannot be the name of an export with a file {}", name, path),
                    "another --name");
    }
}

}  // namespace bitbayes::emit
