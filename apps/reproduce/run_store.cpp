#include "reproduce/run_store.hpp"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "base/atomic_file.hpp"
#include "bitbayes/types/error.hpp"

namespace bitbayes::cli::reproduce {

namespace {

namespace fs = std::filesystem;

constexpr const char* kRuns = "runs";
constexpr const char* kCheckpoints = "checkpoints";

void make_folder(const std::string& path) {
    std::error_code failure;
    fs::create_directories(path, failure);
    if (failure) throw Error(ErrorCode::kIo, fmt::format("{}: {}", path, failure.message()));
}

Json read(const std::string& path) {
    std::ifstream file(path);
    Json stored = Json::parse(file, nullptr, false);
    if (stored.is_object() && stored.contains("settings") && stored.contains("results")) {
        return stored;
    }
    throw Error(ErrorCode::kData, path + ": not a stored run", "remove it, or use --force");
}

/// The first setting in which two runs differ.
std::string difference(const Json& stored, const Json& now) {
    for (const auto& [key, value] : now.items()) {
        const Json& before = stored.contains(key) ? stored[key] : Json();
        if (before != value) {
            return fmt::format("{} is {} here but {} there", key, value.dump(), before.dump());
        }
    }
    return "its settings are others";
}

}  // namespace

RunStore::RunStore(const Plan& plan) : folder_(plan.folder) {
    const bool known = fs::is_directory(path(kRuns));
    std::error_code none;
    if (fs::exists(folder_) && !fs::is_empty(folder_, none) && !known && !plan.common.force) {
        throw Error(ErrorCode::kIo, folder_ + " exists and holds no reproduction",
                    "choose another folder, or use --force");
    }
    if (plan.common.force) {
        std::error_code failure;
        fs::remove_all(path(kRuns), failure);
        fs::remove_all(path(kCheckpoints), failure);
    }
    make_folder(path(kRuns));
    make_folder(path(kCheckpoints));
}

Json RunStore::run(const std::string& name, const Json& settings,
                   const std::function<Json()>& work) const {
    const std::string file = path(fmt::format("{}/{}.json", kRuns, name));
    if (fs::exists(file)) {
        Json stored = read(file);
        if (stored["settings"] == settings) return stored;
        throw Error(ErrorCode::kUsage,
                    fmt::format("{}: {}", file, difference(stored["settings"], settings)),
                    "choose another folder, or --force to do all runs again");
    }
    const auto start = std::chrono::steady_clock::now();
    Json results = work();
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
    const Json stored{
        {"settings", settings}, {"seconds", passed.count()}, {"results", std::move(results)}};
    write_atomically(file, stored.dump(1) + "\n");
    return stored;
}

CheckpointFiles RunStore::checkpoint(const std::string& name) const {
    const std::string file = path(fmt::format("{}/{}.bb", kCheckpoints, name));
    return {file, fs::exists(file) ? file : "", 0};
}

}  // namespace bitbayes::cli::reproduce
