#include "tools/temporary_folder.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

#include "bitbayes/types/error.hpp"
#include "tools/process.hpp"

namespace bitbayes::tools {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail(const fs::path& path, const std::string& why) {
    throw Error(ErrorCode::kIo, fmt::format("{}: {}", path.string(), why),
                "the environment variable TMPDIR names the folder for temporary files");
}

/// As std::filesystem::temp_directory_path, which throws other errors.
fs::path system_folder() {
    for (const char* name : {"TMPDIR", "TMP", "TEMP", "TEMPDIR"}) {
        if (const char* folder = std::getenv(name); folder && *folder) return folder;
    }
    return "/tmp";
}

}  // namespace

TemporaryFolder::TemporaryFolder() {
    const fs::path parent = system_folder();
    std::error_code error;
    std::string pattern = fs::absolute(parent, error) / "bitbayes-XXXXXX";
    if (error || !mkdtemp(pattern.data())) {
        fail(parent, fmt::format("no temporary folder can be made in it: {}",
                                 error ? error.message() : std::strerror(errno)));
    }
    path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

void TemporaryFolder::write(const std::string& name, std::string_view bytes) const {
    std::ofstream file(path_ / name, std::ios::binary);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    file.close();
    if (!file) fail(path_ / name, fmt::format("cannot be written: {}", std::strerror(errno)));
}

std::string TemporaryFolder::read(const std::string& name) const {
    std::ifstream file(path_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

void TemporaryFolder::copy(const fs::path& folder, std::span<const std::string> names) const {
    for (const std::string& name : names) {
        std::error_code error;
        fs::create_directories((path_ / name).parent_path(), error);
        fs::copy_file(folder / name, path_ / name, error);
        if (error) fail(path_ / name, fmt::format("cannot be written: {}", error.message()));
    }
}

std::optional<int> TemporaryFolder::run(const std::vector<std::string>& words,
                                        const std::string& output, double seconds) const {
    return tools::run({.words = words,
                       .folder = path_,
                       .output = path_ / output,
                       .seconds = seconds,
                       .temporary = "."});
}

void TemporaryFolder::check_room() const {
    constexpr std::size_t kRoom = 1 << 20;
    write("room", std::string(kRoom, '\0'));
    std::error_code ignored;
    fs::remove(path_ / "room", ignored);
}

}  // namespace bitbayes::tools
