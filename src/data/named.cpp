#include "data/named.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "bitbayes/types/error.hpp"

namespace bitbayes::data {

namespace {

constexpr std::array kSets{
    NamedSet{"mnist",
             {"ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db",
              "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5",
              "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7",
              "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2"}},
    NamedSet{"fashion-mnist",
             {"c59f468a2f672dc815687fe0f83887768d799fd8a3f3276145d20f83aa44d888",
              "bad3541b69d912435c50bb6ba87bec294ff4f6a2e1246121d8633921760443d9",
              "5b4141f0afbad91edebe8549f8fcffe087ea10ca49f1dbef5c9a5cd8815ce37b",
              "0402a96d92fd2663957122ceb108a494c5af83dab82d92729df917d7dec38c34"}}};

}  // namespace

const NamedSet* find_set(const std::string& name) {
    for (const auto& set : kSets) {
        if (set.name == name) return &set;
    }
    return nullptr;
}

std::string data_folder() {
    const auto variable = [](const char* name) {
        const char* value = std::getenv(name);
        return std::string(value ? value : "");
    };
    if (auto folder = variable("BITBAYES_DATA"); !folder.empty()) return folder;
    if (auto cache = variable("XDG_CACHE_HOME"); !cache.empty()) return cache + "/bitbayes";
    return variable("HOME") + "/.cache/bitbayes";
}

std::string find_file(const std::string& folder, const std::string& base) {
    for (const char* ending : {"", ".gz"}) {
        std::error_code error;
        const auto path = std::filesystem::path(folder) / (base + ending);
        if (std::filesystem::exists(path, error)) return path;
    }
    return {};
}

bool all_present(const std::string& folder) {
    for (const char* base : kNamedFiles) {
        if (find_file(folder, base).empty()) return false;
    }
    return true;
}

std::string named_folder(const std::string& name) {
    std::string folder = data_folder() + "/" + name;
    if (!all_present(folder)) {
        throw Error(ErrorCode::kIo, fmt::format("{}: not in {}", name, folder),
                    "bitbayes fetch " + name);
    }
    return folder;
}

}  // namespace bitbayes::data
