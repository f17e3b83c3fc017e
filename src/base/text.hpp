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

/// In double quotes, shortened and made printable, for error messages.
std::string in_quotes(std::string_view text);

}  // namespace bitbayes
