#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
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

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80; }

/// Characters that a terminal acts on instead of showing them: C0, DEL, C1, line separators, and
/// those that reverse the direction of text.
bool is_control(std::string_view character) {
    const auto lead = static_cast<unsigned char>(character[0]);
    if (character.size() == 1) return lead < 0x20 || lead == 0x7F;
    if (character.size() == 2) return lead == 0xC2 && character[1] < '\xA0';
    return (character >= "\u200E" && character <= "\u200F") ||
           (character >= "\u2028" && character <= "\u202E") ||
           (character >= "\u2066" && character <= "\u2069");
}

std::string escaped(std::string_view bytes) {
    std::string out;
    for (const char c : bytes) {
        const char* word = c == '\n' ? "\\n" : c == '\r' ? "\\r" : c == '\t' ? "\\t" : nullptr;
        out += word ? word : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
    return out;
}

/// `text` up to a length, not within a character.
std::string_view cut(std::string_view text, std::size_t longest) {
    if (text.size() <= longest) return text;
    std::size_t end = longest;
    while (end > 0 && longest - end < 3 && is_continuation(text[end])) --end;
    return text.substr(0, is_continuation(text[end]) ? longest : end);
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

std::size_t utf8_bytes(std::string_view text) {
    const auto lead = static_cast<unsigned char>(text[0]);
    if (lead < 0x80) return 1;
    const std::size_t bytes = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    if (lead < 0xC2 || lead > 0xF4 || text.size() < bytes) return 0;
    const std::string_view rest = text.substr(1, bytes - 1);
    if (!std::all_of(rest.begin(), rest.end(), is_continuation)) return 0;
    const auto second = static_cast<unsigned char>(text[1]);
    const bool overlong = (lead == 0xE0 && second < 0xA0) || (lead == 0xF0 && second < 0x90);
    const bool beyond = (lead == 0xED && second > 0x9F) || (lead == 0xF4 && second > 0x8F);
    return overlong || beyond ? 0 : bytes;
}

std::string printable(std::string_view text, std::size_t longest) {
    const std::string_view shown = cut(text, longest);
    std::string out;
    for (std::size_t at = 0; at < shown.size();) {
        const std::size_t bytes = utf8_bytes(shown.substr(at));
        const std::string_view character = shown.substr(at, std::max<std::size_t>(bytes, 1));
        const bool shows = bytes > 0 && !is_control(character);
        out += shows ? std::string(character) : escaped(character);
        at += character.size();
    }
    return shown.size() < text.size() ? out + "..." : out;
}

std::string in_quotes(std::string_view text) {
    std::string out = "\"";
    for (const char c : printable(text, kLongestName)) {
        if (c == '"') out += '\\';
        out += c == '`' ? "\\x60" : std::string(1, c);
    }
    return out + '"';
}

std::string one_line(std::string_view text) {
    constexpr std::size_t kBegin = 1200, kEnd = 700, kAll = 2 * (kBegin + kEnd);
    std::string line = text.size() <= kAll ? printable(text)
                                           : printable(text.substr(0, kAll / 2)) +
                                                 printable(text.substr(text.size() - kAll / 2));
    if (line.size() <= kBegin + kEnd) return line;
    std::size_t end = line.size() - kEnd;
    while (is_continuation(line[end])) ++end;
    return fmt::format("{} ... {}", cut(line, kBegin), std::string_view(line).substr(end));
}

}  // namespace bitbayes
