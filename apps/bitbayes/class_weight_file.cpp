#include "class_weight_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "bitbayes/types/error.hpp"

namespace bitbayes::cli {

namespace {

using Weights = std::vector<std::pair<std::string, double>>;

constexpr const char* kHint = "lines CLASS,WEIGHT, or a JSON object {\"CLASS\": WEIGHT, ...}";

std::string whole_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(file), {}};
    if (!file.is_open() || file.bad()) {
        throw Error(ErrorCode::kIo, fmt::format("{}: {}", path, std::strerror(errno)),
                    "`class_weight` is balanced, or a file");
    }
    return text;
}

Weights from_json(const std::string& path, const std::string& text) {
    const auto object = nlohmann::ordered_json::parse(text, nullptr, false);
    if (!object.is_object()) throw Error(ErrorCode::kData, path + ": not a JSON object", kHint);
    Weights weights;
    for (const auto& [name, value] : object.items()) {
        if (!value.is_number()) {
            throw Error(ErrorCode::kData,
                        fmt::format("{}: the weight of {} is not a number", path, in_quotes(name)));
        }
        weights.emplace_back(name, value.get<double>());
    }
    return weights;
}

std::string unquoted(std::string_view name) {
    if (name.size() >= 2 && name.front() == '"' && name.back() == '"') {
        name = name.substr(1, name.size() - 2);
    }
    return std::string(name);
}

Weights from_lines(const std::string& path, std::string_view text) {
    Weights weights;
    for (std::size_t number = 1; !text.empty(); ++number) {
        std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(text.size(), line.size() + 1));
        if (line.ends_with('\r')) line.remove_suffix(1);
        line = trimmed(line);
        if (line.empty()) continue;
        const std::size_t comma = line.rfind(',');
        const auto weight =
            comma == line.npos ? std::nullopt : parse_number(trimmed(line.substr(comma + 1)));
        if (weight) {
            weights.emplace_back(unquoted(trimmed(line.substr(0, comma))), *weight);
        } else if (number > 1 || comma == line.npos) {  // the first line may be a header
            throw Error(ErrorCode::kData,
                        fmt::format("{}:{}: {} is not CLASS,WEIGHT", path, number, in_quotes(line)),
                        kHint);
        }
    }
    return weights;
}

}  // namespace

Weights read_class_weights(const std::string& path) {
    const std::string text = whole_file(path);
    const auto first = text.find_first_not_of(" \t\r\n");
    const bool json = first != text.npos && text[first] == '{';
    return json ? from_json(path, text) : from_lines(path, text);
}

}  // namespace bitbayes::cli
