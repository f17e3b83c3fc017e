#include "default_output.hpp"

#include <algorithm>
#include <filesystem>

#include "data/spec.hpp"

namespace bitbayes::cli {

namespace {

void strip_ending(std::string& name, std::initializer_list<const char*> endings) {
    for (const std::string ending : endings) {
        if (name.size() <= ending.size() || !name.ends_with(ending)) continue;
        name.resize(name.size() - ending.size());
        return;
    }
}

}  // namespace

std::string default_model_name(const std::string& data) {
    std::string source = data::parse_spec(data).source;
    if (source == "-") return "stdin.bb";
    if (source.starts_with("teacher:")) {
        std::replace(source.begin(), source.end(), ':', '-');
        return source + ".bb";
    }
    std::error_code error;
    if (!std::filesystem::exists(source, error)) source = source.substr(0, source.find(','));
    const auto path = std::filesystem::absolute(source, error).lexically_normal();
    std::string name = (path.has_filename() ? path : path.parent_path()).filename().string();
    strip_ending(name, {".gz"});
    strip_ending(name, {".csv", ".tsv", ".txt", ".data", ".libsvm", ".svm", ".npz"});
    return (name.empty() ? "model" : name) + ".bb";
}

}  // namespace bitbayes::cli
