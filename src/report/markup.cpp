#include "report/markup.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "base/text.hpp"

namespace bitbayes::report {
namespace {

constexpr std::string_view kReplacement = "\uFFFD";

/// Bytes of the character that `text` begins with; 0 if it is not UTF-8, or not a character of XML.
std::size_t character_bytes(std::string_view text) {
    const auto lead = static_cast<unsigned char>(text[0]);
    const bool control = lead < 0x20 && lead != '\t' && lead != '\n' && lead != '\r';
    const bool noncharacter = text.substr(0, 3) == "\uFFFE" || text.substr(0, 3) == "\uFFFF";
    return control || noncharacter ? 0 : utf8_bytes(text);
}

}  // namespace

std::string escape_xml(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const std::size_t bytes = character_bytes(text);
        switch (bytes == 0 ? '\0' : text[0]) {
            case '\0':
                out += kReplacement;
                break;
            case '&':
                out += "&amp;";
                break;
            case '<':
                out += "&lt;";
                break;
            case '>':
                out += "&gt;";
                break;
            case '"':
                out += "&quot;";
                break;
            case '\'':
                out += "&#39;";
                break;
            default:
                out += text.substr(0, bytes);
        }
        text.remove_prefix(std::max<std::size_t>(bytes, 1));
    }
    return out;
}

std::string to_anchor(std::string_view text) {
    std::string anchor(text);
    std::replace_if(
        anchor.begin(), anchor.end(),
        [](char c) {
            const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
            return !letter && !(c >= '0' && c <= '9') && c != '-' && c != '_';
        },
        '-');
    return anchor;
}

std::vector<TextPiece> split_code(std::string_view text) {
    std::vector<TextPiece> pieces;
    std::size_t begin = 0;
    for (std::size_t open = text.find('`'); open != text.npos; open = text.find('`', open)) {
        const std::size_t close = text.find('`', open + 1);
        if (close == text.npos) break;
        if (open > begin) pieces.push_back({text.substr(begin, open - begin)});
        pieces.push_back({text.substr(open + 1, close - open - 1), true});
        begin = open = close + 1;
    }
    if (begin < text.size()) pieces.push_back({text.substr(begin)});
    return pieces;
}

std::string to_inline_html(std::string_view text) {
    std::string out;
    for (const TextPiece& piece : split_code(text)) {
        const std::string escaped = escape_xml(piece.text);
        out += piece.code ? fmt::format("<code>{}</code>", escaped) : escaped;
    }
    return out;
}

std::string to_one_line(std::string_view text) {
    std::string out;
    for (const char c : text) {
        const bool space = c == ' ' || c == '\t' || c == '\n' || c == '\r';
        if (!space) {
            out += c;
        } else if (!out.empty() && out.back() != ' ') {
            out += ' ';
        }
    }
    if (out.ends_with(' ')) out.pop_back();
    return out;
}

}  // namespace bitbayes::report
