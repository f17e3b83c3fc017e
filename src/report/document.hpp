// A report as data: sections of paragraphs, tables and figures; written as one HTML page, as
// Markdown beside SVG files, and as CSV.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "base/folder.hpp"
#include "report/figure.hpp"

namespace bitbayes::report {

/// The verdict that a table cell shows; the text says it too, colour only repeats it.
enum class Tone { kPlain, kGood, kBad, kOpen };

struct Cell {
    std::string text;
    Tone tone = Tone::kPlain;
    double heat = 0;  // 0 to 1: how strongly a page tints the cell

    Cell(std::string cell_text, Tone cell_tone = Tone::kPlain)
        : text(std::move(cell_text)), tone(cell_tone) {}
    Cell(const char* cell_text) : text(cell_text) {}
};

struct Table {
    std::vector<std::string> header;
    std::vector<std::vector<Cell>> rows;
};

/// `words` between backticks are code, in paragraphs, captions and cells.
struct Paragraph {
    std::string text;
};

/// Commands and their output.
struct Listing {
    std::string text;
};

using Block = std::variant<Paragraph, Table, Figure, Listing>;

struct Section {
    std::string title;
    std::vector<Block> blocks;
};

struct Document {
    std::string title;
    std::string summary;
    std::vector<Section> sections;
};

/// One self-contained file: style and figures are inline. No script.
std::string to_html(const Document& document);
/// GitHub's Markdown; figures are links to ID.svg.
std::string to_markdown(const Document& document);

/// PAGE.html, PAGE.md, and ID.svg and ID.csv of every figure.
FolderFiles to_files(const Document& document, const std::string& page);

/// Writes to_files(document, "report").
void write_report(const Document& document, const std::string& folder);

}  // namespace bitbayes::report
