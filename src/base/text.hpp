// Numbers and words out of text, the same in every locale.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace bitbayes {

/// A finite decimal number, a leading '+' allowed; values too small for a double become 0. nullopt
/// for anything else, e.g. "nan" and "1e999".
std::optional<double> parse_number(std::string_view text);

/// A whole number, a leading '+' or '-' allowed.
std::optional<std::int64_t> parse_integer(std::string_view text);

/// Digits only.
std::optional<std::size_t> parse_index(std::string_view text);

/// "nan", "-inf", "Infinity", ...: numbers to other programs, errors to us.
bool is_nan_or_infinity(std::string_view text);

/// Without spaces and tabs at both ends.
std::string_view trimmed(std::string_view text);

/// Bytes of the character that a text, not empty, begins with; 0 if it is not UTF-8.
std::size_t utf8_bytes(std::string_view text);

/// Text of a file as messages and tables show it: control characters and bytes that are not UTF-8
/// are written as \n, \x1b and so on. Of a longer text, about the first `longest` bytes and "...".
std::string printable(std::string_view text, std::size_t longest = std::string_view::npos);

/// What messages and tables show of a name that a file gives.
inline constexpr std::size_t kLongestName = 40;
/// The first kLongestName bytes of a text, printable and in double quotes. Without backticks, which
/// are for options.
std::string in_quotes(std::string_view text);

/// A message in one printable line of at most 2,000 bytes; one that is longer loses its middle.
std::string one_line(std::string_view text);

}  // namespace bitbayes
