#include <fmt/format.h>

#include "report/document.hpp"
#include "report/html_style.hpp"
#include "report/layout.hpp"
#include "report/markup.hpp"
#include "report/table.hpp"

namespace bitbayes::report {
namespace {

const char* tone_class(Tone tone) {
    switch (tone) {
        case Tone::kGood:
            return "good";
        case Tone::kBad:
            return "bad";
        case Tone::kOpen:
            return "open";
        case Tone::kPlain:
            break;
    }
    return "";
}

std::string cell_html(const Cell& cell) {
    const std::string words = to_inline_html(cell.text);
    if (cell.tone == Tone::kPlain) return words;
    return fmt::format("<span class=\"badge {}\">{}</span>", tone_class(cell.tone), words);
}

std::string heat_style(const Cell& cell) {
    return cell.heat > 0 ? fmt::format(" style=\"--heat:{:.3f}\"", cell.heat) : "";
}

std::string block_html(const Paragraph& paragraph) {
    return fmt::format("<p>{}</p>\n", to_inline_html(paragraph.text));
}

std::string block_html(const Listing& listing) {
    return fmt::format("<pre tabindex=\"0\">{}</pre>\n", escape_xml(listing.text));
}

std::string block_html(const Table& table) {
    const std::size_t columns = column_count(table);
    std::vector<const char*> kind(columns);
    for (std::size_t c = 0; c < columns; ++c)
        kind[c] = is_numeric_column(table, c) ? " class=\"number\"" : "";
    std::string out = "<div class=\"scroll\" tabindex=\"0\"><table>\n<thead><tr>";
    for (std::size_t c = 0; c < columns; ++c)
        out += fmt::format("<th scope=\"col\"{}>{}</th>", kind[c],
                           c < table.header.size() ? to_inline_html(table.header[c]) : "");
    out += "</tr></thead>\n<tbody>\n";
    for (const auto& row : table.rows) {
        out += "<tr>";
        for (std::size_t c = 0; c < columns; ++c)
            out += fmt::format("<td{}{}>{}</td>", kind[c], c < row.size() ? heat_style(row[c]) : "",
                               c < row.size() ? cell_html(row[c]) : "");
        out += "</tr>\n";
    }
    return out + "</tbody>\n</table></div>\n";
}

std::string block_html(const Figure& figure) {
    constexpr double kMinScale = 0.8;  // below, the figure scrolls instead of shrinking
    const double width = figure_width(figure);
    std::string out = fmt::format(
        "<figure id=\"{}\">\n<div class=\"scroll\" tabindex=\"0\">"
        "<div class=\"drawing\" style=\"min-width:{:.0f}px\">\n{}</div></div>\n",
        to_anchor(figure.id), kMinScale * width, to_svg(figure));
    if (!figure.caption.empty())
        out += fmt::format("<figcaption>{}</figcaption>\n", to_inline_html(figure.caption));
    return out + "</figure>\n";
}

std::string contents_html(const Document& document) {
    std::string out =
        "<nav aria-labelledby=\"contents\">\n<h2 id=\"contents\">Contents</h2>\n<ol>\n";
    for (std::size_t s = 0; s < document.sections.size(); ++s)
        out += fmt::format("<li><a href=\"#section-{}\">{}</a></li>\n", s + 1,
                           to_inline_html(document.sections[s].title));
    return out + "</ol>\n</nav>\n";
}

std::string section_html(const Section& section, std::size_t number) {
    std::string out = fmt::format("<section>\n<h2 id=\"section-{}\">{}</h2>\n", number,
                                  to_inline_html(section.title));
    for (const Block& block : section.blocks)
        out += std::visit([](const auto& b) { return block_html(b); }, block);
    return out + "</section>\n";
}

}  // namespace

std::string to_html(const Document& document) {
    std::string out = fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" "
        "content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        "<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n<header>\n<h1>{}</h1>\n",
        escape_xml(document.title), kPageStyle, to_inline_html(document.title));
    if (!document.summary.empty())
        out += fmt::format("<p class=\"summary\">{}</p>\n", to_inline_html(document.summary));
    out += "</header>\n";
    if (!document.sections.empty()) out += contents_html(document);
    out += "<main>\n";
    for (std::size_t s = 0; s < document.sections.size(); ++s)
        out += section_html(document.sections[s], s + 1);
    return out + "</main>\n</body>\n</html>\n";
}

}  // namespace bitbayes::report
