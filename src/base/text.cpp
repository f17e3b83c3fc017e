#include "base/text.hpp"

#include <cctype>
#include <charconv>
#include <cmath>
#include <system_error>

namespace bitbayes {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Drops a '+' before a digit or a point.
std::string_view without_plus(std::string_view text) {
    const bool plus = text.size() > 1 && text[0] == '+' && (is_digit(text[1]) || text[1] == '.');
    return plus ? text.substr(1) : text;
}

template <class T>
std::optional<T> parse_whole(std::string_view text) {
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

}  // namespace

std::optional<double> parse_number(std::string_view text) {
    text = without_plus(text);
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (end != text.data() + text.size() || error == std::errc::invalid_argument) {
        return std::nullopt;
    }
    if (error == std::errc::result_out_of_range) {
        const bool tiny = text.find("e-") != text.npos || text.find("E-") != text.npos;
        return tiny ? std::optional(0.0) : std::nullopt;
    }
    return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::optional<std::int64_t> parse_integer(std::string_view text) {
    return parse_whole<std::int64_t>(without_plus(text));
}

std::optional<std::size_t> parse_index(std::string_view text) {
    return parse_whole<std::size_t>(text);
}

bool is_nan_or_infinity(std::string_view text) {
    if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
    std::string word;
    for (const char c : text.substr(0, 9)) {
        word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    return word == "nan" || word == "inf" || word == "infinity";
}

std::string_view trimmed(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(" \t");
    if (begin == text.npos) return {};
    return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

std::string in_quotes(std::string_view text) {
    constexpr std::size_t kLongest = 40;
    std::string out = "\"";
    for (const char c : text.substr(0, kLongest)) {
        const auto byte = static_cast<unsigned char>(c);
        out += byte < 0x20 || byte == 0x7f ? '?' : c;
    }
    return out + (text.size() > kLongest ? "...\"" : "\"");
}

}  // namespace bitbayes
