#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "report/document.hpp"
#include "report/markup.hpp"
#include "report/table.hpp"

namespace bitbayes::report {
namespace {

bool is_word(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// Escapes characters that would start markup; an underscore inside a word does not.
std::string escape_text(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool inside_word =
            i > 0 && i + 1 < text.size() && is_word(text[i - 1]) && is_word(text[i + 1]);
        const bool special =
            std::string_view("\\`*[]<>&~$|").find(text[i]) != std::string_view::npos ||
            (text[i] == '_' && !inside_word);
        if (special) out += '\\';
        out += text[i];
    }
    return out;
}

/// In tables '|' ends a cell even inside code.
std::string escape_bars(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '|') out += '\\';
        out += c;
    }
    return out;
}

enum class Place { kText, kTable };

std::string to_inline(std::string_view text, Place place) {
    std::string out;
    const std::string line = to_one_line(text);
    for (const TextPiece& piece : split_code(line)) {
        if (piece.code) {
            out += fmt::format(
                "`{}`", place == Place::kTable ? escape_bars(piece.text) : std::string(piece.text));
        } else {
            out += escape_text(piece.text);
        }
    }
    return out;
}

/// A paragraph must not begin like a heading, a list or a rule.
std::string to_paragraph(std::string_view text) {
    const std::string line = to_inline(text, Place::kText);
    const std::size_t digits = std::min(line.find_first_not_of("0123456789"), line.size());
    const bool numbered =
        digits > 0 && digits < line.size() && (line[digits] == '.' || line[digits] == ')');
    const std::string_view words = line;
    if (numbered) return fmt::format("{}\\{}", words.substr(0, digits), words.substr(digits));
    const bool marked = !words.empty() && std::string_view("#+-=").find(words[0]) != words.npos;
    return marked ? fmt::format("\\{}", words) : line;
}

std::string block_markdown(const Paragraph& paragraph) {
    return to_paragraph(paragraph.text) + "\n";
}

std::string block_markdown(const Listing& listing) {
    std::size_t longest = 0, run = 0;
    for (const char c : listing.text) {
        run = c == '`' ? run + 1 : 0;
        longest = std::max(longest, run);
    }
    const std::string fence(std::max<std::size_t>(3, longest + 1), '`');
    return fmt::format("{0}\n{1}{2}{0}\n", fence, listing.text,
                       listing.text.ends_with('\n') ? "" : "\n");
}

std::string block_markdown(const Table& table) {
    const std::size_t columns = column_count(table);
    std::string head = "|", rule = "|", rows;
    for (std::size_t c = 0; c < columns; ++c) {
        const std::string name = c < table.header.size() ? table.header[c] : "";
        head += fmt::format(" {} |", to_inline(name, Place::kTable));
        rule += is_numeric_column(table, c) ? " ---: |" : " --- |";
    }
    for (const auto& row : table.rows) {
        rows += "|";
        for (std::size_t c = 0; c < columns; ++c)
            rows +=
                fmt::format(" {} |", c < row.size() ? to_inline(row[c].text, Place::kTable) : "");
        rows += "\n";
    }
    return head + "\n" + rule + "\n" + rows;
}

std::string block_markdown(const Figure& figure) {
    std::string out =
        fmt::format("![{}]({}.svg)\n", to_inline(figure.title, Place::kText), to_anchor(figure.id));
    if (!figure.caption.empty())
        out += fmt::format("\n*{}*\n", to_inline(figure.caption, Place::kText));
    return out;
}

}  // namespace

std::string to_markdown(const Document& document) {
    std::string out = fmt::format("# {}\n", to_inline(document.title, Place::kText));
    if (!document.summary.empty()) out += fmt::format("\n{}\n", to_paragraph(document.summary));
    for (const Section& section : document.sections) {
        out += fmt::format("\n## {}\n", to_inline(section.title, Place::kText));
        for (const Block& block : section.blocks)
            out += fmt::format("\n{}",
                               std::visit([](const auto& b) { return block_markdown(b); }, block));
    }
    return out;
}

}  // namespace bitbayes::report
