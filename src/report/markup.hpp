// Escaping text for XML, HTML and Markdown.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bitbayes::report {

/// For text and for attributes in double quotes, in XML and HTML. What XML cannot hold (control
/// characters, bytes that are not UTF-8) becomes U+FFFD.
std::string escape_xml(std::string_view text);

/// Keeps letters, digits, '-' and '_', turns anything else into '-': usable as an id in a document.
std::string to_anchor(std::string_view text);

struct TextPiece {
    std::string_view text;
    bool code = false;
};

/// Splits at pairs of backticks; one without a partner is text.
std::vector<TextPiece> split_code(std::string_view text);

/// escape_xml, with <code> around text between backticks.
std::string to_inline_html(std::string_view text);

/// Runs of white space, line breaks included, become one blank; none at the ends.
std::string to_one_line(std::string_view text);

}  // namespace bitbayes::report
