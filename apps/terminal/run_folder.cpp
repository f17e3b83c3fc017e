#include "terminal/run_folder.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <span>

#include "base/atomic_file.hpp"
#include "base/sha256.hpp"
#include "bitbayes/types/error.hpp"

namespace bitbayes::cli {

namespace {

namespace fs = std::filesystem;

constexpr const char* kChecksum = "sha256";
constexpr const char* kLock = ".lock";

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

void make_folder(const std::string& path) {
    std::error_code failure;
    fs::create_directories(path, failure);
    if (failure) throw Error(ErrorCode::kIo, fmt::format("{}: {}", path, failure.message()));
}

RunFolder::RunFolder(const std::string& folder) : folder_(folder) { make_folder(folder); }

std::string RunFolder::file(const std::string& name) const {
    return fmt::format("{}/{}.json", folder_, name);
}

bool RunFolder::has(const std::string& name) const { return fs::exists(file(name)); }

void RunFolder::remove(const std::string& name) const {
    std::error_code none;
    fs::remove(file(name), none);
}

std::optional<Json> RunFolder::find(const std::string& name, const Json& settings) const {
    const std::string path = file(name);
    if (!fs::exists(path)) return std::nullopt;
    Json stored = read(path);
    if (stored["settings"] != settings) {
        throw Error(ErrorCode::kUsage,
                    fmt::format("{}: {}", path, difference(stored["settings"], settings)),
                    "choose another folder, or --force to do all runs again");
    }
    if (!stored.contains("results")) refuse(path, "damaged: it has no SHA-256");
    return stored;
}

Json RunFolder::store(const std::string& name, const Json& settings, double seconds,
                      Json results) const {
    const Json stored{
        {"settings", settings}, {"seconds", seconds}, {"results", std::move(results)}};
    Json checked = stored;
    checked[kChecksum] = checksum(stored);
    write_atomically(file(name), checked.dump(1) + "\n");
    return stored;
}

std::optional<Claim> RunFolder::claim(const std::string& name) const {
    auto claim = Claim::take(fmt::format("{}/{}{}", folder_, name, kLock));
    if (claim) check_output(file(name), true);  // removes what a killed holder left
    return claim;
}

void RunFolder::sweep_locks() const {
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(folder_, none)) {
        if (entry.path().extension() == kLock) Claim::take(entry.path().string());
    }
}

}  // namespace bitbayes::cli
