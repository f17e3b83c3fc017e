#include "container/container_reader.hpp"

#include <algorithm>

#include "bitbayes/types/error.hpp"
#include "container/encoding.hpp"
#include "container/json_text.hpp"

namespace bitbayes::container {

using nlohmann::json;

void ContainerReader::fail(std::string_view what) const {
    throw Error(ErrorCode::kModel, fmt::format("{}: {}", name_, what));
}

int ContainerReader::format_version(std::string_view format, std::string_view what,
                                    int newest) const {
    if (has("format") && text("format") != format && text("format").starts_with("bitbayes")) {
        fail(fmt::format("not a {}, but a {}", what, what == "model" ? "packed network" : "model"));
    }
    require(has("format") && text("format") == format, fmt::format("not a bitbayes {}", what));
    const int version = number<int>("format_version");
    require(version >= 1, "format_version must be 1 or more");
    require(has("library_version"), "library_version is missing");
    if (version > newest) {
        throw Error(ErrorCode::kModel,
                    fmt::format("{}: written by a newer version (format {}; this is {})", name_,
                                version, newest),
                    "install a newer bitbayes");
    }
    return version;
}

const std::string& ContainerReader::text(const std::string& key) const {
    const auto found = container_.metadata.find(key);
    require(found != container_.metadata.end(), fmt::format("{} is missing", key));
    return found->second;
}

bool ContainerReader::flag(const std::string& key) const {
    const std::string& value = text(key);
    require(value == "true" || value == "false", fmt::format("{} is not true or false", key));
    return value == "true";
}

json ContainerReader::json_of(const std::string& key, int depth) const {
    return parse_json(text(key), depth, name_, key);
}

TensorView ContainerReader::tensor(const std::string& key, ElementType type) const {
    const auto found = container_.tensors.find(key);
    require(found != container_.tensors.end(), fmt::format("tensor {} is missing", key));
    require(found->second.type == type, fmt::format("tensor {} has another type", key));
    return found->second;
}

std::string ContainerReader::name_from(const std::string& key, const json& entry) const {
    if (entry.is_string()) return entry.get<std::string>();
    const std::string complaint = fmt::format("{}: a name is not a string", key);
    require(
        entry.is_object() && entry.size() == 1 && entry.contains("hex") && entry["hex"].is_string(),
        complaint);
    const auto digits = entry["hex"].get<std::string>();
    std::string bytes;
    for (std::size_t i = 0; i < digits.size(); i += 2) {
        unsigned char byte = 0;
        const char* end = digits.data() + std::min(i + 2, digits.size());
        const auto read = std::from_chars(digits.data() + i, end, byte, 16);
        require(read.ec == std::errc{} && read.ptr == end, complaint);
        bytes.push_back(static_cast<char>(byte));
    }
    return bytes;
}

std::vector<std::string> ContainerReader::names(const std::string& key) const {
    return names(key, json_of(key, 2));
}

std::vector<std::string> ContainerReader::names(const std::string& key, const json& list) const {
    require(list.is_array(), fmt::format("{} is not a list", key));
    std::vector<std::string> names;
    for (const json& entry : list) names.push_back(name_from(key, entry));
    return names;
}

std::vector<std::string> ContainerReader::class_names() const {
    const auto classes = names("class_names");
    const std::string problem = problem_of_classes(classes);
    require(problem.empty(), problem);
    return classes;
}

}  // namespace bitbayes::container
