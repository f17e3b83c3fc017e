// Text on its way into XML, HTML and Markdown.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bitbayes::report {

/// For text and for attributes in double quotes, in XML and HTML. What XML cannot hold (control
/// characters, bytes that are not UTF-8) becomes U+FFFD.
std::string escape_xml(std::string_view text);

/// Letters, digits, '-' and '_' as they are, anything else '-': usable as id in a document.
std::string to_anchor(std::string_view text);

struct TextPiece {
    std::string_view text;
    bool code = false;
};

/// Splits at pairs of backticks; one without a partner is text.
std::vector<TextPiece> split_code(std::string_view text);

/// escape_xml with <code> for what stands between backticks.
std::string to_inline_html(std::string_view text);

/// Line breaks and runs of white space become one blank; none at the ends.
std::string to_one_line(std::string_view text);

}  // namespace bitbayes::report
