#include "report/text_size.hpp"

#include <algorithm>

#include "report/markup.hpp"

namespace bitbayes::report {
namespace {

double character_width(unsigned char c) {
    if (c >= 0x80) return c < 0xC0 ? 0 : c < 0xE3 ? 0.64 : 1;  // continuation, alphabets, wide
    if (std::string_view("ijl.,:;'|!()[] ").find(static_cast<char>(c)) != std::string_view::npos)
        return 0.34;
    if (std::string_view("mwMW%@").find(static_cast<char>(c)) != std::string_view::npos)
        return 0.92;
    return c >= 'A' && c <= 'Z' ? 0.7 : 0.6;
}

}  // namespace

double text_width(std::string_view text, double size) {
    double width = 0;
    for (const char c : text) width += character_width(static_cast<unsigned char>(c));
    return width * size;
}

std::vector<std::string> wrap(std::string_view text, double width, double size) {
    const std::string words = to_one_line(text);
    std::vector<std::string> lines(1);
    for (std::size_t begin = 0; begin < words.size();) {
        const std::size_t end = std::min(words.find(' ', begin), words.size());
        const std::string word = words.substr(begin, end - begin);
        std::string& line = lines.back();
        if (line.empty()) {
            line = word;
        } else if (text_width(line + ' ' + word, size) <= width) {
            line += ' ' + word;
        } else {
            lines.push_back(word);
        }
        begin = end + 1;
    }
    return lines;
}

}  // namespace bitbayes::report
