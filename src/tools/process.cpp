#include "tools/process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <string_view>
#include <thread>

extern char** environ;

namespace bitbayes::tools {
namespace {

class SpawnActions {
  public:
    explicit SpawnActions(const Process& process) {
        posix_spawn_file_actions_init(&actions_);
        posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, process.input.c_str(), O_RDONLY,
                                         0);
        posix_spawn_file_actions_addopen(&actions_, STDOUT_FILENO, process.output.c_str(),
                                         O_WRONLY | O_CREAT | O_TRUNC, 0600);
        posix_spawn_file_actions_adddup2(&actions_, STDOUT_FILENO, STDERR_FILENO);
        posix_spawn_file_actions_addchdir_np(&actions_, process.folder.c_str());
    }
    ~SpawnActions() { posix_spawn_file_actions_destroy(&actions_); }
    SpawnActions(const SpawnActions&) = delete;
    SpawnActions& operator=(const SpawnActions&) = delete;

    const posix_spawn_file_actions_t* get() const { return &actions_; }

  private:
    posix_spawn_file_actions_t actions_;
};

int wait_for(pid_t child, double seconds) {
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + std::chrono::duration<double>(seconds);
    bool killed = false;
    for (int status = 0;;) {
        const bool poll = seconds > 0 && !killed;
        const pid_t ended = waitpid(child, &status, poll ? WNOHANG : 0);
        if (ended == child) {
            return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        }
        if (ended < 0 && errno != EINTR) return 1;
        if (!poll) continue;
        if (Clock::now() < end) {
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        } else {
            kill(child, SIGKILL);
            killed = true;
        }
    }
}

/// Ours, but for TMPDIR where a process has its own.
std::vector<std::string> environment_of(const Process& process) {
    std::vector<std::string> entries;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const bool replaced =
            !process.temporary.empty() && std::string_view(*entry).starts_with("TMPDIR=");
        if (!replaced) entries.emplace_back(*entry);
    }
    if (!process.temporary.empty()) entries.push_back("TMPDIR=" + process.temporary);
    return entries;
}

std::vector<char*> pointers_to(std::vector<std::string>& words) {
    std::vector<char*> pointers;
    for (auto& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    return pointers;
}

}  // namespace

std::optional<int> run(const Process& process) {
    const SpawnActions actions(process);
    std::vector<std::string> words = process.words, entries = environment_of(process);
    const auto arguments = pointers_to(words), environment = pointers_to(entries);
    pid_t child = 0;
    if (posix_spawnp(&child, arguments[0], actions.get(), nullptr, arguments.data(),
                     environment.data()) != 0) {
        return std::nullopt;
    }
    return wait_for(child, process.seconds);
}

}  // namespace bitbayes::tools
