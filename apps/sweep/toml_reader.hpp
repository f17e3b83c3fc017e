// Values out of a TOML file, with messages that name file and line. toml++ takes seconds to compile: included by
// config.cpp alone.
#pragma once

#include <fmt/format.h>

#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "bitbayes/types/error.hpp"
#include "terminal/suggestion.hpp"

namespace bitbayes::cli::sweep {

/// Reads nodes of one file; messages begin with its name and the line.
class Reader {
  public:
    explicit Reader(const std::string& name) : name_(name) {}

    std::string where(const toml::source_region& source) const {
        return fmt::format("{}:{}", name_, source.begin.line);
    }

    [[noreturn]] void refuse(const toml::node& node, const std::string& what,
                             const std::string& hint = "") const {
        throw Error(ErrorCode::kUsage, fmt::format("{}: {}", where(node.source()), what), hint);
    }

    [[noreturn]] void refuse_key(const toml::node& node, std::string_view key,
                                 const std::vector<std::string>& known) const {
        const auto meant = nearest(key, known);
        refuse(node, fmt::format("{} is not known here", in_quotes(key)),
               meant ? fmt::format("did you mean {}?", *meant)
                     : fmt::format("one of {}", fmt::join(known, ", ")));
    }

    std::string string(std::string_view key, const toml::node& node) const {
        if (const auto* text = node.as_string()) return text->get();
        refuse(node, fmt::format("{} is a text in quotes", key));
    }

    /// A number, text or truth as it would stand on the command line.
    std::string scalar(std::string_view key, const toml::node& node) const {
        if (const auto* text = node.as_string()) return text->get();
        if (const auto* whole = node.as_integer()) return fmt::format("{}", whole->get());
        if (const auto* real = node.as_floating_point()) return fmt::format("{}", real->get());
        if (const auto* truth = node.as_boolean()) return truth->get() ? "true" : "false";
        refuse(node, fmt::format("{} is a number, a text, true or false", key));
    }

    /// The same, or a list of them, separated by commas.
    std::string value(std::string_view key, const toml::node& node) const {
        const auto* list = node.as_array();
        return list != nullptr ? fmt::format("{}", fmt::join(scalars(key, *list), ","))
                               : scalar(key, node);
    }

    std::vector<std::string> scalars(std::string_view key, const toml::node& node) const {
        std::vector<std::string> texts;
        const auto* list = node.as_array();
        if (list == nullptr) return {scalar(key, node)};
        for (const toml::node& each : *list) texts.push_back(scalar(key, each));
        return texts;
    }

    std::uint64_t whole(std::string_view key, const toml::node& node, std::int64_t low) const {
        const auto* number = node.as_integer();
        if (number != nullptr && number->get() >= low) {
            return static_cast<std::uint64_t>(number->get());
        }
        refuse(node, fmt::format("{} is a whole number from {}", key, low));
    }

    double number(std::string_view key, const toml::node& node) const {
        const auto number = node.value<double>();
        if (number && std::isfinite(*number)) return *number;
        refuse(node, fmt::format("{} is a number", key));
    }

    const toml::table& table(std::string_view key, const toml::node& node) const {
        if (const auto* found = node.as_table()) return *found;
        refuse(node, fmt::format("{0} is a table, [{0}]", key));
    }

  private:
    const std::string& name_;
};

using Entry = std::pair<std::string, const toml::node*>;

/// In the order of the file, not of the keys.
inline std::vector<Entry> entries(const toml::table& table) {
    std::vector<Entry> list;
    for (const auto& [key, node] : table) list.emplace_back(key.str(), &node);
    std::stable_sort(list.begin(), list.end(), [](const Entry& a, const Entry& b) {
        const auto &x = a.second->source().begin, &y = b.second->source().begin;
        return std::pair(x.line, x.column) < std::pair(y.line, y.column);
    });
    return list;
}

}  // namespace bitbayes::cli::sweep
