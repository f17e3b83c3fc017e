// Text of C files.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bitbayes::emit {

/// The file of runtime/c with every @key@ replaced, and `bbnet` by the name, BBNET by the name in
/// capitals. Inserted values are not scanned again.
std::string fill_in(std::string_view file, const std::string& name,
                    const std::map<std::string, std::string>& values);

/// "1, 2, 3", broken into indented lines.
std::string number_lines(std::span<const std::int64_t> values);
/// "MACRO(0x01U), MACRO(0x02U)", likewise.
std::string word_lines(std::span<const std::int64_t> values, int hexadecimal_digits,
                       const std::string& macro);

/// A string literal. Bytes outside printable ASCII, and the first letters of words that may not
/// occur in exported C, are written in octal.
std::string c_string(std::string_view text);
/// The initialiser of an array of them, over several lines of a macro.
std::string c_strings(const std::vector<std::string>& texts);
/// The macro NAME_COLUMN_NAMES; empty if the table had no header, and so no names.
std::string column_names(const std::vector<std::string>& names, const std::string& name);

}  // namespace bitbayes::emit
