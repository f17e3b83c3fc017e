#include "emit/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "bitbayes/types/error.hpp"
#include "emit/files.hpp"
#include "emit/words.hpp"

namespace bitbayes::emit {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_word(char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '_'; }

bool is_well_formed(std::string_view name) {
    constexpr std::size_t kLongest = 32;
    return !name.empty() && name.size() <= kLongest && is_letter(name[0]) &&
           std::all_of(name.begin(), name.end(), is_word);
}

/// Whether `words`, each between blanks, has this one.
bool among(std::string_view words, const std::string& word) {
    return words.find(fmt::format(" {} ", word)) != words.npos;
}

/// The end of the comment or string that `text` has at this place, else the place itself.
std::size_t skipped(std::string_view text, std::size_t at) {
    const auto after = [&](std::string_view end, std::size_t from) {
        const std::size_t found = text.find(end, from);
        return found == text.npos ? text.size() : found + end.size();
    };
    const std::string_view rest = text.substr(at);
    if (rest.starts_with("//")) return after("\n", at);
    if (rest.starts_with("/*")) return after("*/", at + 2);
    if (rest.starts_with('"')) return after("\"", at + 1);
    return at;
}

/// The identifiers of all files of runtime/.
std::set<std::string_view> runtime_words() {
    std::set<std::string_view> words;
    for (const std::string_view path : runtime_paths()) {
        const std::string_view text = runtime_file(path);
        for (std::size_t at = 0; at < text.size();) {
            if (const std::size_t end = skipped(text, at); end > at) {
                at = end;
                continue;
            }
            const std::size_t begin = at;
            while (at < text.size() && is_word(text[at])) ++at;
            if (at > begin) words.insert(text.substr(begin, at - begin));
            if (at == begin) ++at;
        }
    }
    return words;
}

/// A word of runtime/ that an export of this name would also give to something of its own; empty if
/// there is none.
std::string word_used_twice(const std::string& name) {
    const std::vector<std::pair<std::string_view, std::string>> prefixes{
        {"bbnet_", name + "_"}, {"BBNET_", upper_case(name) + "_"}, {"bitbayes_", name + "_"}};
    static const std::set<std::string_view> words = runtime_words();
    for (const std::string_view word : words) {
        for (const auto& [prefix, by] : prefixes) {
            if (!word.starts_with(prefix)) continue;
            const std::string own = by + std::string(word.substr(prefix.size()));
            const bool replaced = std::any_of(prefixes.begin(), prefixes.end(),
                                              [&](auto& p) { return own.starts_with(p.first); });
            if (!replaced && words.contains(own)) return own;
        }
    }
    return "";
}

/// Why not; empty if it may be used.
std::string reason_against(const std::string& name) {
    if (among(kCWords, name)) return "is a keyword of C or C++";
    if (among(kVerilogWords, name)) return "is a keyword of Verilog";
    if (among(kLibraryWords, name)) return "is a name of the C library";
    const std::string lower = lower_case(name);
    if (among(kHeaders, lower)) return fmt::format("would hide the header {}.h", lower);
    for (const char* word : {"BBNET", "float", "double", "malloc"}) {
        if (name.find(word) != name.npos) {
            return fmt::format("has '{}' in it, which exported code must not", word);
        }
    }
    const std::string word = word_used_twice(name);
    return word.empty() ? "" : fmt::format("would give '{}' two meanings", word);
}

std::string in_case(std::string text, char first, char last, int shift) {
    for (char& c : text) c = c >= first && c <= last ? static_cast<char>(c + shift) : c;
    return text;
}

}  // namespace

std::string upper_case(std::string text) { return in_case(std::move(text), 'a', 'z', 'A' - 'a'); }
std::string lower_case(std::string text) { return in_case(std::move(text), 'A', 'Z', 'a' - 'A'); }

void check_name(const std::string& name) {
    if (!is_well_formed(name)) {
        throw Error(
            ErrorCode::kUsage,
            fmt::format("'{}' cannot be a name in C and Verilog", printable(name, kLongestName)),
            "a letter, then letters, digits and _, at most 32");
    }
    const std::string reason = reason_against(name);
    if (reason.empty()) return;
    throw Error(ErrorCode::kUsage, fmt::format("the name '{}' {}", name, reason),
                "another --name, such as my_net");
}

}  // namespace bitbayes::emit
