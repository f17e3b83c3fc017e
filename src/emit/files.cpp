#include "emit/files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "bitbayes/error.hpp"
#include "emit/runtime_table.hpp"

namespace bitbayes::emit {

std::string_view runtime_file(std::string_view path) {
    for (const RuntimeFile& file : kRuntimeFiles) {
        if (file.path == path) return file.text;
    }
    throw std::logic_error(fmt::format("runtime/{} is not compiled in", path));
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
