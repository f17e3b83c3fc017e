// Bytes of a container, unchanged and with the CRC corrected.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "container/container.hpp"
#include "only_errors.hpp"

namespace bitbayes::fuzz {

template <class Load>
int with_and_without_crc(const std::uint8_t* bytes, std::size_t size, Load load) {
    std::string copy(as_text(bytes, size));
    load(copy);
    const std::size_t digits = container::find_crc_digits(copy);
    if (digits == std::string::npos) return 0;
    copy.replace(digits, 8, container::crc_digits(copy, digits));
    load(copy);
    return 0;
}

}  // namespace bitbayes::fuzz
