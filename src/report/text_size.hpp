// Widths of text without knowing the font: estimates that most sans-serif fonts stay below.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bitbayes::report {

/// In the unit of `size`, the font size.
double text_width(std::string_view text, double size);

/// Lines no wider than `width` where blanks allow it; at least one line.
std::vector<std::string> wrap(std::string_view text, double width, double size);

}  // namespace bitbayes::report
