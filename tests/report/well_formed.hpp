// A checker for the part of XML that SVG figures use: elements, attributes, entities, UTF-8.
#pragma once

#include <cctype>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace bitbayes::test {

/// The values of an attribute, wherever it is given.
inline std::vector<std::string> attribute_values(const std::string& text, const std::string& name) {
    const std::string start = " " + name + "=\"";
    std::vector<std::string> values;
    for (std::size_t at = text.find(start); at != std::string::npos; at = text.find(start, at)) {
        at += start.size();
        values.push_back(text.substr(at, text.find('"', at) - at));
    }
    return values;
}

class XmlChecker {
  public:
    /// Empty if `text` is one well-formed element, otherwise what is wrong.
    static std::string fault(std::string_view text) {
        XmlChecker checker(text);
        checker.run();
        return checker.fault_;
    }

  private:
    explicit XmlChecker(std::string_view text) : rest_(text) {}

    void run() {
        bool seen = false;
        while (fault_.empty() && !rest_.empty()) {
            if (rest_.front() != '<') {
                take_text();
            } else if (seen && open_.empty()) {
                fail("an element after the root");
            } else {
                seen = true;
                take_tag();
            }
        }
        if (fault_.empty() && (!open_.empty() || !seen)) fail("an element is not closed");
    }

    void fail(const std::string& what) {
        if (fault_.empty()) fault_ = what + " before: " + std::string(rest_.substr(0, 60));
    }

    void take_text() {
        const std::string_view text = rest_.substr(0, rest_.find('<'));
        if (open_.empty() && text.find_first_not_of(" \n") != text.npos) fail("text outside");
        check_characters(text);
        rest_.remove_prefix(text.size());
    }

    void check_characters(std::string_view text) {
        for (std::size_t i = 0; i < text.size(); ++i) {
            const auto c = static_cast<unsigned char>(text[i]);
            if (c < 0x20 && c != '\n' && c != '\t' && c != '\r') fail("a control character");
            if (c == '<') fail("a bare <");
            if (c == '&' && !is_entity(text.substr(i))) fail("a bare &");
            if (c < 0x80) continue;
            const std::size_t more = c >= 0xF0 ? 3 : c >= 0xE0 ? 2 : 1;
            if (c < 0xC2 || c > 0xF4 || i + more >= text.size()) return fail("not UTF-8");
            for (std::size_t k = 1; k <= more; ++k)
                if ((static_cast<unsigned char>(text[i + k]) & 0xC0U) != 0x80) fail("not UTF-8");
            i += more;
        }
    }

    static bool is_entity(std::string_view text) {
        for (const std::string_view known : {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"})
            if (text.starts_with(known)) return true;
        return false;
    }

    std::string take_name() {
        std::size_t end = 0;
        while (end < rest_.size() && (std::isalnum(static_cast<unsigned char>(rest_[end])) != 0 ||
                                      rest_[end] == '-' || rest_[end] == ':'))
            ++end;
        std::string name(rest_.substr(0, end));
        rest_.remove_prefix(end);
        if (name.empty()) fail("no name");
        return name;
    }

    bool take(std::string_view word) {
        if (!rest_.starts_with(word)) return false;
        rest_.remove_prefix(word.size());
        return true;
    }

    void take_tag() {
        if (take("</")) {
            const std::string name = take_name();
            if (open_.empty() || open_.back() != name || !take(">")) return fail("wrong end tag");
            open_.pop_back();
            return;
        }
        take("<");
        open_.push_back(take_name());
        std::set<std::string> names;
        while (fault_.empty() && take(" ")) {
            const std::string name = take_name();
            if (!names.insert(name).second) fail("an attribute twice");
            if (!take("=\"")) return fail("no value");
            const std::size_t end = rest_.find('"');
            if (end == rest_.npos) return fail("no end of value");
            check_characters(rest_.substr(0, end));
            rest_.remove_prefix(end + 1);
        }
        if (take("/>")) return open_.pop_back();
        if (!take(">")) fail("no end of tag");
    }

    std::string_view rest_;
    std::vector<std::string> open_;
    std::string fault_;
};

inline std::size_t count(std::string_view text, std::string_view word) {
    std::size_t found = 0;
    for (auto at = text.find(word); at != text.npos; at = text.find(word, at + word.size()))
        ++found;
    return found;
}

}  // namespace bitbayes::test
