#include "terminal/flags.hpp"

#include <algorithm>
#include <string_view>

namespace bitbayes::cli {

namespace {

std::string dashed(std::string_view name) {
    std::string text(name);
    std::replace(text.begin(), text.end(), '_', '-');
    return "--" + text;
}

/// Options of reading, and others, that library errors name.
bool is_reading_option(std::string_view name) {
    constexpr std::string_view kNames[] = {"label",  "ignore",     "categorical", "id",   "group",
                                           "header", "row_weight", "max_memory",  "force"};
    return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

}  // namespace

const bool* default_of_flag(const TrainOption& option, const TrainOptions& defaults) {
    const auto* member = std::get_if<bool TrainOptions::*>(&option.member);
    return member != nullptr ? &(defaults.**member) : nullptr;
}

std::string flag_of(const TrainOption& option) {
    const TrainOptions defaults;
    const bool* on = default_of_flag(option, defaults);
    const std::string flag = dashed(option.name);
    return on != nullptr && *on ? "--no" + flag.substr(1) : flag;
}

std::string with_flags(const std::string& text) {
    std::string result;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t open = text.find('`', at), close = text.find('`', open + 1);
        if (open == text.npos || close == text.npos) return result + text.substr(at);
        const std::string name = text.substr(open + 1, close - open - 1);
        result += text.substr(at, open - at);
        at = close + 1;
        const auto* option = std::find_if(std::begin(kTrainOptions), std::end(kTrainOptions),
                                          [&](const TrainOption& o) { return o.name == name; });
        if (option != std::end(kTrainOptions)) {
            const std::string flag = flag_of(*option);
            result += flag.starts_with("--no-") ? name + " (" + flag + ")" : flag;
        } else if (name == "force" || is_reading_option(name)) {
            result += dashed(name);
        } else {
            result += "`" + name + "`";
        }
    }
    return result;
}

}  // namespace bitbayes::cli
