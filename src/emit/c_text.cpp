#include "emit/c_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "emit/files.hpp"
#include "emit/names.hpp"

namespace bitbayes::emit {
namespace {

std::string with_name(std::string text, const std::string& name) {
    const std::array<std::array<std::string, 2>, 2> words{
        {{"bbnet", name}, {"BBNET", upper_case(name)}}};
    for (const auto& [word, by] : words) {
        for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += by.size()) {
            text.replace(at, word.size(), by);
        }
    }
    return text;
}

bool starts_forbidden_word(std::string_view text) {
    constexpr std::array<std::string_view, 3> kWords{"float", "double", "malloc"};
    return std::any_of(kWords.begin(), kWords.end(),
                       [&](std::string_view word) { return text.starts_with(word); });
}

template <class Text>
std::string lines(std::span<const std::int64_t> values, const Text& text_of) {
    constexpr std::size_t kWidth = 96;
    std::string text, line = "   ";
    for (std::size_t k = 0; k < values.size(); ++k) {
        const std::string number = ' ' + text_of(values[k]);
        if (line.size() + number.size() >= kWidth) {
            text += line + '\n';
            line = "   ";
        }
        line += number;
        if (k + 1 < values.size()) line += ',';
    }
    return text + line;
}

}  // namespace

std::string fill_in(std::string_view file, const std::string& name,
                    const std::map<std::string, std::string>& values) {
    const std::string_view text = runtime_file(file);
    std::string result;
    std::size_t at = 0;
    for (;;) {
        const std::size_t key = text.find('@', at);
        result += with_name(std::string(text.substr(at, key - at)), name);
        if (key == std::string_view::npos) return result;
        const std::size_t end = text.find('@', key + 1);
        const auto found = values.find(std::string(text.substr(key + 1, end - key - 1)));
        if (end == std::string_view::npos || found == values.end()) {
            throw std::logic_error(fmt::format("runtime/{} has a key without a value", file));
        }
        result += found->second;
        at = end + 1;
    }
}

std::string number_lines(std::span<const std::int64_t> values) {
    return lines(values, [](std::int64_t value) { return std::to_string(value); });
}

std::string word_lines(std::span<const std::int64_t> values, int hexadecimal_digits,
                       const std::string& macro) {
    return lines(values, [&](std::int64_t value) {
        return fmt::format("{}(0x{:0{}X}U)", macro, value, hexadecimal_digits);
    });
}

std::string c_string(std::string_view text) {
    std::string result = "\"";
    for (std::size_t k = 0; k < text.size(); ++k) {
        const char c = text[k];
        const bool plain =
            c >= ' ' && c <= '~' && std::string_view("\"\\?`").find(c) == std::string_view::npos;
        if (plain && !starts_forbidden_word(text.substr(k))) {
            result += c;
        } else {
            result += fmt::format("\\{:03o}", static_cast<unsigned char>(c));
        }
    }
    return result + '"';
}

std::string c_strings(const std::vector<std::string>& texts) {
    std::string result = "{";
    for (const auto& text : texts) {
        if (result.size() > 1) result += ", \\\n    ";
        result += c_string(text);
    }
    return result + "}";
}

std::string column_names(const std::vector<std::string>& names, const std::string& name) {
    if (names.empty()) return "";
    return fmt::format("#define {}_COLUMN_NAMES {}\n", upper_case(name), c_strings(names));
}

}  // namespace bitbayes::emit
