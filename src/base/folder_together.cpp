// write_together: files are written to a folder beside the target, which then takes its name. What
// is not ours is linked into the new folder before the two are exchanged.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>

#include "base/folder.hpp"
#include "bitbayes/types/error.hpp"

namespace bitbayes {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& path, const std::string& what, const std::string& why) {
    throw Error(ErrorCode::kIo, fmt::format("{}: {}: {}", path.string(), what, why));
}

/// A new folder in `parent`, locked until it is removed. Its path is empty if none can be made.
class Stage {
  public:
    Stage(const fs::path& parent, const std::string& prefix) {
        remove_leftovers(parent, prefix);
        std::string name = parent / (prefix + "XXXXXX");
        if (!::mkdtemp(name.data())) return;
        path_ = name;
        lock_ = locked(path_);
    }
    ~Stage() {
        std::error_code ignored;
        if (!path_.empty()) fs::remove_all(path_, ignored);
        if (lock_ >= 0) ::close(lock_);
    }
    Stage(const Stage&) = delete;
    Stage& operator=(const Stage&) = delete;

    const fs::path& path() const { return path_; }

  private:
    /// -1 if somebody else holds the lock.
    static int locked(const fs::path& folder) {
        const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
        if (fd < 0 || ::flock(fd, LOCK_EX | LOCK_NB) == 0) return fd;
        ::close(fd);
        return -1;
    }

    /// Those of killed processes: nobody holds their locks.
    static void remove_leftovers(const fs::path& parent, const std::string& prefix) {
        std::error_code error;
        for (fs::directory_iterator entry(parent, error), end; !error && entry != end;
             entry.increment(error)) {
            if (!entry->path().filename().string().starts_with(prefix)) continue;
            const int lock = locked(entry->path());
            if (lock < 0) continue;
            std::error_code ignored;
            fs::remove_all(entry->path(), ignored);
            ::close(lock);
        }
    }

    fs::path path_;
    int lock_ = -1;
};

/// What an earlier call wrote into the folder, the list itself included.
std::set<std::string> written_before(const fs::path& folder) {
    std::set<std::string> names;
    std::ifstream list(folder / kFileList);
    for (std::string line; std::getline(list, line);) names.insert(line);
    if (!names.empty()) names.insert(kFileList);
    return names;
}

/// Links what is not ours into the stage; false if that is not possible.
bool carry_over(const fs::path& target, const fs::path& stage) {
    const auto ours = written_before(target);
    std::error_code error;
    for (fs::recursive_directory_iterator entry(target, error), end; !error && entry != end;
         entry.increment(error)) {
        const fs::path relative = entry->path().lexically_relative(target);
        const fs::path copy = stage / relative;
        std::error_code problem;
        if (entry->is_directory(problem) && !entry->is_symlink(problem)) {
            if (fs::is_empty(entry->path(), problem)) fs::create_directories(copy, problem);
            continue;
        }
        if (ours.contains(relative.string()) || fs::exists(fs::symlink_status(copy, problem))) {
            continue;
        }
        fs::create_directories(copy.parent_path(), problem);
        if (problem || ::link(entry->path().c_str(), copy.c_str()) != 0) return false;
    }
    return !error;
}

/// Gives the stage the name of the target, and the target that of the stage.
bool exchange(const fs::path& target, const fs::path& stage) {
    struct stat info {};
    if (::stat(target.c_str(), &info) != 0 || !carry_over(target, stage)) return false;
    return ::chmod(stage.c_str(), info.st_mode & 07777) == 0 &&
           ::renameat2(AT_FDCWD, stage.c_str(), AT_FDCWD, target.c_str(), RENAME_EXCHANGE) == 0;
}

/// One after another; everything has been written, so that no disk can be full.
void move_in(const fs::path& target, const fs::path& stage, const FolderFiles& files) {
    for (const std::string& name : written_before(target)) {
        std::error_code ignored;
        if (files.contains(name)) continue;
        fs::remove(target / name, ignored);
        const fs::path folder = (target / name).parent_path();
        if (folder != target) fs::remove(folder, ignored);  // if it is empty
    }
    for (const auto& [name, text] : files) {
        std::error_code problem;
        fs::create_directories((target / name).parent_path(), problem);
        if (!problem) fs::rename(stage / name, target / name, problem);
        if (problem) fail(target / name, "cannot be written", problem.message());
    }
}

/// The usual permissions of a new folder: mkdtemp gives its own to nobody else.
void open_to_others(const fs::path& folder) {
    const mode_t mask = ::umask(0);
    ::umask(mask);
    ::chmod(folder.c_str(), 0777 & ~mask);
}

void sync(const fs::path& folder) {
    const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return;
    ::fsync(fd);
    ::close(fd);
}

/// Writes beside the target and swaps; false if that is not possible. The folder that somebody
/// works in right now stays the same one.
bool swap_in(const fs::path& target, const std::string& prefix, const FolderFiles& files) {
    std::error_code problem;
    if (fs::equivalent(target, fs::current_path(problem), problem)) return false;
    const Stage stage(target.parent_path(), prefix);
    if (stage.path().empty()) return false;
    write_files(stage.path(), files);
    open_to_others(stage.path());
    const bool done = ::rename(stage.path().c_str(), target.c_str()) == 0 ||  // new, or empty
                      exchange(target, stage.path());
    sync(target.parent_path());
    return done;
}

}  // namespace

void write_together(const std::string& folder, const FolderFiles& files) {
    std::error_code problem;
    fs::path target = fs::weakly_canonical(fs::absolute(folder, problem), problem);
    if (!target.has_filename()) target = target.parent_path();
    if (!problem) fs::create_directories(target.parent_path(), problem);
    if (problem) fail(folder, "cannot make the folder", problem.message());
    FolderFiles all = files;
    for (const auto& [name, text] : files) all[kFileList] += name + "\n";
    const std::string prefix = fmt::format(".{}.tmp-", target.filename().string());
    if (swap_in(target, prefix, all)) return;
    fs::create_directories(target, problem);
    if (problem) fail(folder, "cannot make the folder", problem.message());
    const Stage stage(target, prefix);
    if (stage.path().empty()) fail(folder, "cannot be written to", std::strerror(errno));
    write_files(stage.path(), all);
    move_in(target, stage.path(), all);
    sync(target);
}

}  // namespace bitbayes
