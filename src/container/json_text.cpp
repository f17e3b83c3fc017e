#include "container/json_text.hpp"

#include <fmt/format.h>

#include <set>
#include <vector>

#include "bitbayes/types/error.hpp"

namespace bitbayes::container {

using nlohmann::json;

json parse_json(std::string_view text, int depth, const std::string& name,
                const std::string& what) {
    const auto fail = [&](const char* why) {
        throw Error(ErrorCode::kModel, fmt::format("{}: {} {}", name, what, why));
    };
    std::vector<std::set<std::string>> keys;
    const auto watch = [&](int level, json::parse_event_t event, json& parsed) {
        const bool opens =
            event == json::parse_event_t::object_start || event == json::parse_event_t::array_start;
        if (opens && level >= depth) fail("is nested too deeply");
        if (event == json::parse_event_t::object_start) keys.emplace_back();
        if (event == json::parse_event_t::object_end) keys.pop_back();
        if (event == json::parse_event_t::key &&
            !keys.back().insert(parsed.get<std::string>()).second) {
            fail("has the same key twice");
        }
        return true;
    };
    try {
        return json::parse(text, watch);
    } catch (const json::exception&) {
        fail("is not valid JSON");
    }
    return {};
}

}  // namespace bitbayes::container
