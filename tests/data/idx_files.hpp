// IDX files as bytes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bitbayes::test {

inline std::string idx(const std::vector<std::uint32_t>& shape, const std::vector<int>& values) {
    std::string bytes{'\0', '\0', '\x08', static_cast<char>(shape.size())};
    for (const std::uint32_t size : shape) {
        for (const int shift : {24, 16, 8, 0}) bytes += static_cast<char>(size >> shift);
    }
    for (const int value : values) bytes += static_cast<char>(value);
    return bytes;
}

}  // namespace bitbayes::test
