#include "reproduce/run_store.hpp"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <span>

#include "base/atomic_file.hpp"
#include "base/sha256.hpp"
#include "bitbayes/types/error.hpp"

namespace bitbayes::cli::reproduce {

namespace {

namespace fs = std::filesystem;

constexpr const char* kRuns = "runs";
constexpr const char* kCheckpoints = "checkpoints";
constexpr const char* kChecksum = "sha256";

void make_folder(const std::string& path) {
    std::error_code failure;
    fs::create_directories(path, failure);
    if (failure) throw Error(ErrorCode::kIo, fmt::format("{}: {}", path, failure.message()));
}

[[noreturn]] void refuse(const std::string& path, const char* what) {
    throw Error(ErrorCode::kData, fmt::format("{}: {}", path, what), "remove it, or use --force");
}

std::string checksum(const Json& stored) {
    Sha256 hash;
    hash.add(std::as_bytes(std::span<const char>(stored.dump())));
    return hash.hex();
}

/// JSON as deep as a stored run can be; null if it is not.
Json parse(const std::string& path) {
    constexpr int kDepth = 16;
    bool shallow = true;
    const auto watch = [&](int depth, Json::parse_event_t, Json&) {
        return shallow = shallow && depth < kDepth;
    };
    std::ifstream file(path);
    Json stored = Json::parse(file, watch, false);
    return shallow ? stored : Json();
}

/// A stored run as it was written; without its results if it has no checksum.
Json read(const std::string& path) {
    Json stored = parse(path);
    if (!stored.is_object() || !stored.contains("settings") || !stored.contains("results")) {
        refuse(path, "not a stored run");
    }
    const Json sum = stored.contains(kChecksum) ? stored[kChecksum] : Json();
    stored.erase(kChecksum);
    if (!sum.is_null() && sum != checksum(stored)) refuse(path, "damaged: its SHA-256 is another");
    if (sum.is_null()) stored.erase("results");
    return stored;
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
        if (stored["settings"] == settings) {
            if (!stored.contains("results")) refuse(file, "damaged: it has no SHA-256");
            return stored;
        }
        throw Error(ErrorCode::kUsage,
                    fmt::format("{}: {}", file, difference(stored["settings"], settings)),
                    "choose another folder, or --force to do all runs again");
    }
    const auto start = std::chrono::steady_clock::now();
    Json results = work();
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
    const Json stored{
        {"settings", settings}, {"seconds", passed.count()}, {"results", std::move(results)}};
    Json checked = stored;
    checked[kChecksum] = checksum(stored);
    write_atomically(file, checked.dump(1) + "\n");
    return stored;
}

CheckpointFiles RunStore::checkpoint(const std::string& name) const {
    const std::string file = path(fmt::format("{}/{}.bb", kCheckpoints, name));
    return {file, fs::exists(file) ? file : "", 0};
}

}  // namespace bitbayes::cli::reproduce
