#include "container/encoding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

namespace bitbayes::container {

using nlohmann::json;

namespace {

bool is_utf8(const std::string& text) {
    try {
        (void)json(text).dump();
        return true;
    } catch (const json::type_error&) {
        return false;
    }
}

}  // namespace

std::string problem_of_kept(const std::vector<std::uint32_t>& columns, std::size_t features,
                            const std::string& name) {
    const bool ascending =
        std::adjacent_find(columns.begin(), columns.end(), std::greater_equal<>{}) == columns.end();
    if (ascending && (columns.empty() || columns.back() < features)) return "";
    return "tensor " + name + " does not hold ascending columns of the table";
}

std::string problem_of_classes(const std::vector<std::string>& names) {
    if (names.size() < 2) return "fewer than two classes";
    const std::set<std::string> different(names.begin(), names.end());
    return different.size() == names.size() ? "" : "two classes have the same name";
}

json names_json(const std::vector<std::string>& names) {
    json list = json::array();
    for (const auto& name : names) {
        if (is_utf8(name)) {
            list.push_back(name);
            continue;
        }
        std::string digits;
        for (const char c : name) digits += fmt::format("{:02x}", static_cast<unsigned char>(c));
        list.push_back({{"hex", digits}});
    }
    return list;
}

}  // namespace bitbayes::container
