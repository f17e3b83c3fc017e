#include "emit/verilog_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdlib>

namespace bitbayes::emit {
namespace {

std::string list(const Pairs& pairs) {
    std::string text;
    for (const auto& [key, value] : pairs) {
        text += fmt::format("{}\n        .{}({})", text.empty() ? "" : ",", key, value);
    }
    return text;
}

}  // namespace

std::size_t unsigned_width(std::size_t largest) {
    return std::max<std::size_t>(1, std::bit_width(largest));
}

std::size_t signed_width(std::int64_t largest) {
    return std::bit_width(static_cast<std::uint64_t>(largest)) + 1;
}

std::size_t popcount_levels(std::size_t count) { return std::bit_width(count) - 1; }

ColumnFormat column_format(packed::ColumnType type) {
    switch (type) {
        case packed::ColumnType::kBit:
        case packed::ColumnType::kSign:
            return {1, false};
        case packed::ColumnType::kU8:
            return {8, false};
        case packed::ColumnType::kI8:
            return {8, true};
        case packed::ColumnType::kI16:
            break;
    }
    return {16, true};
}

bool has_sign_inputs(const packed::Network& network) {
    return !network.comparator.empty() || network.quantiser.type == packed::ColumnType::kSign;
}

bool has_signed_values(const packed::Network& network) {
    return network.comparator.empty() && column_format(network.quantiser.type).is_signed;
}

int travelling_comparator(packed::ColumnType type, int comparator) {
    if (type == packed::ColumnType::kSign) return comparator < -1 ? -1 : comparator < 1 ? 0 : 1;
    const auto [low, high] = packed::range_of(type);
    return std::clamp(comparator, low - 1, high);
}

std::size_t dense_layers(const packed::Network& network) {
    const auto& layers = network.members[0];
    const auto tree = std::find_if(layers.begin(), layers.end(),
                                   [](const auto& each) { return !each.reads_all; });
    return static_cast<std::size_t>(tree - layers.begin());
}

std::int64_t largest_sum(const packed::Network& network, std::size_t l) {
    if (l == 0) return network.largest_sum();
    std::int64_t largest = 0;
    for (const auto& layers : network.members) {
        for (const auto t : layers[l].threshold) largest = std::max(largest, std::abs(t));
    }
    return largest + static_cast<std::int64_t>(network.members[0][l].fan_in);
}

void Bits::add(std::int64_t value, std::size_t width) {
    for (std::size_t b = 0; b < width; ++b)
        bits_.push_back((value >> std::min<std::size_t>(b, 63) & 1) != 0);
}

std::string Bits::hex() const {
    std::string digits;
    for (std::size_t begin = 0; begin < size(); begin += 4) {
        unsigned digit = 0;
        for (std::size_t b = begin; b < std::min(begin + 4, size()); ++b) {
            digit |= unsigned{bits_[b]} << (b - begin);
        }
        digits += "0123456789abcdef"[digit];
    }
    return {digits.rbegin(), digits.rend()};
}

std::string Bits::literal() const { return fmt::format("{}'h{}", size(), hex()); }

std::string instance(const std::string& module, const std::string& name, const Pairs& parameters,
                     const Pairs& ports) {
    return fmt::format("    {} #({}\n    ) {} ({}\n    );\n", module, list(parameters), name,
                       list(ports));
}

std::string wire(std::size_t width, const std::string& name, bool is_signed) {
    return fmt::format("    wire {}[{}:0] {};\n", is_signed ? "signed " : "", width - 1, name);
}

std::string known(const packed::Network& network, const std::string& margin, std::size_t width) {
    if (network.abstain_below <= 0) return "1'b1";
    if (signed_width(network.abstain_below) > width + 1) return "1'b0";
    return fmt::format("{} >= {}'d{}", margin, width, network.abstain_below);
}

}  // namespace bitbayes::emit
