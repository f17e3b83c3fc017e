// What the fuzz targets share: a reader may throw bitbayes::Error, and nothing else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "bitbayes/types/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size);

namespace bitbayes::fuzz {

inline std::string_view as_text(const std::uint8_t* bytes, std::size_t size) {
    return {reinterpret_cast<const char*>(bytes), size};
}

/// Any other exception leaves the target, which is a crash.
template <class Read>
void only_errors(const Read& read) {
    try {
        read();
    } catch (const Error&) {
    }
}

}  // namespace bitbayes::fuzz
