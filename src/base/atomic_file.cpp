#include "base/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <optional>
#include <utility>

#include "base/memory.hpp"
#include "bitbayes/types/error.hpp"

namespace bitbayes {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& path, const std::string& what, int error) {
    throw Error(ErrorCode::kIo, fmt::format("{}: {}: {}", path, what, std::strerror(error)));
}

/// Where symbolic links lead; the path itself in a circle of them.
fs::path last_link(const fs::path& path) {
    constexpr int kMaxLinks = 40;
    std::error_code error;
    fs::path target = path;
    for (int i = 0; i < kMaxLinks; ++i) {
        const fs::path next = fs::read_symlink(target, error);
        if (error) return target;
        target = target.parent_path() / next;
    }
    return path;
}

/// The file to replace: symbolic links are followed, so that the links survive. The file itself may
/// be missing.
fs::path follow_links(const std::string& path) {
    fs::path target = last_link(path);
    if (!target.has_filename())
        throw Error(ErrorCode::kIo, fmt::format("'{}' names no file", path));
    std::error_code ignored;
    if (fs::is_symlink(target, ignored)) fail(path, "cannot write", ELOOP);
    return target;
}

fs::path folder_of(const fs::path& target) {
    return target.has_parent_path() ? target.parent_path() : fs::path(".");
}

/// The permissions of the file to be replaced, nullopt if there is none. Throws for anything but a
/// regular file.
std::optional<mode_t> existing_mode(const std::string& path, const fs::path& target) {
    struct stat info {};
    if (::stat(target.c_str(), &info) != 0) {
        if (errno == ENOENT) return std::nullopt;
        fail(path, "cannot write", errno);
    }
    if (S_ISDIR(info.st_mode)) throw Error(ErrorCode::kIo, path + ": is a folder");
    if (!S_ISREG(info.st_mode)) throw Error(ErrorCode::kIo, path + ": is not a regular file");
    return info.st_mode & 0777;
}

[[noreturn]] void refuse_existing(const std::string& path) {
    throw Error(ErrorCode::kIo, path + ": exists already: it stays, and nothing was written",
                "`force` replaces it");
}

// Temporary files are called .STEM.PID-NUMBER.tmp and are locked while they are written. The lock
// tells a file that is in use from one that a killed process left, even if process ids of another
// container or a past life of this one mislead.
constexpr std::string_view kTemporary = ".tmp";

/// Held from the creation of a temporary file until it is locked, and while leftovers are removed.
std::mutex& temporary_files() {
    static std::mutex mutex;
    return mutex;
}

std::string stem_of(const fs::path& target) {
    constexpr std::size_t kMaxStem = 200;  // bytes
    return target.filename().string().substr(0, kMaxStem);
}

/// The process that a temporary file of this stem belongs to; nullopt for any other name.
std::optional<pid_t> owner_of(std::string_view name, std::string_view stem) {
    const auto skip = [&name](std::string_view text) {
        const bool there = name.starts_with(text);
        if (there) name.remove_prefix(text.size());
        return there;
    };
    const auto number = [&name](auto& value) {
        const auto [end, problem] = std::from_chars(name.data(), name.data() + name.size(), value);
        name.remove_prefix(static_cast<std::size_t>(end - name.data()));
        return problem == std::errc() && value >= 0;
    };
    pid_t process = 0;
    int count = 0;
    const bool fits = skip(".") && skip(stem) && skip(".") && number(process) && skip("-") &&
                      number(count) && skip(kTemporary) && name.empty();
    return fits && process > 0 ? std::optional(process) : std::nullopt;
}

bool runs_elsewhere(pid_t process) {
    return process != ::getpid() && (::kill(process, 0) == 0 || errno != ESRCH);
}

void remove_if_unlocked(const fs::path& file) {
    const int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0) return;
    if (::flock(fd, LOCK_EX | LOCK_NB) == 0) ::unlink(file.c_str());
    ::close(fd);
}

/// Removes the temporary files of `target` whose processes have ended.
void remove_leftovers(const fs::path& target) {
    const std::lock_guard lock(temporary_files());
    const std::string stem = stem_of(target);
    std::error_code error;
    fs::directory_iterator entry(folder_of(target), error);
    for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
        const auto owner = owner_of(entry->path().filename().string(), stem);
        if (owner && !runs_elsewhere(*owner)) remove_if_unlocked(entry->path());
    }
}

/// Error EEXIST if `to` exists.
bool rename_to_new(const fs::path& from, const fs::path& to) {
    if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) {
        return true;
    }
    if (errno != EINVAL && errno != ENOSYS) return false;
    if (::link(from.c_str(), to.c_str()) == 0) return ::unlink(from.c_str()) == 0;
    if (errno == EEXIST) return false;
    // The file system knows neither; a gap between the two steps remains.
    if (::access(to.c_str(), F_OK) == 0) {
        errno = EEXIST;
        return false;
    }
    return ::rename(from.c_str(), to.c_str()) == 0;
}

/// A new file beside the target, removed by the destructor unless it was renamed.
class TemporaryFile {
  public:
    TemporaryFile(std::string path, const fs::path& target) : path_(std::move(path)) {
        constexpr int kMaxFiles = 1000;  // at a time, of this process
        const std::lock_guard lock(temporary_files());
        const std::string stem = stem_of(target);
        const fs::path folder = folder_of(target);
        for (int i = 0; i < kMaxFiles && fd_ < 0; ++i) {
            name_ = folder / fmt::format(".{}.{}-{}{}", stem, ::getpid(), i, kTemporary);
            fd_ = ::open(name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
            if (fd_ < 0 && errno != EEXIST) break;
        }
        if (fd_ < 0) fail(path_, fmt::format("cannot create a file in {}", folder.string()), errno);
        ::flock(fd_, LOCK_EX | LOCK_NB);
    }
    ~TemporaryFile() {
        if (!name_.empty()) ::unlink(name_.c_str());
        ::close(fd_);
    }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;

    void append(std::span<const char> bytes) {
        constexpr std::size_t kBuffer = std::size_t{1} << 18;
        if (buffer_.size() + bytes.size() > kBuffer) flush();
        if (bytes.size() >= kBuffer) {
            write_all(bytes);
        } else {
            buffer_.append(bytes.data(), bytes.size());
        }
    }

    void rename_to(const fs::path& target, std::optional<mode_t> mode, Existing existing) {
        flush();
        if (mode && ::fchmod(fd_, *mode) != 0) fail(path_, "cannot set its permissions", errno);
        if (::fsync(fd_) != 0) fail(path_, "cannot write", errno);
        const bool renamed = existing == Existing::kKeep
                                 ? rename_to_new(name_, target)
                                 : ::rename(name_.c_str(), target.c_str()) == 0;
        if (!renamed && errno == EEXIST) refuse_existing(path_);
        if (!renamed) fail(path_, "cannot rename", errno);
        name_.clear();
    }

  private:
    void flush() {
        write_all(buffer_);
        buffer_.clear();
    }

    void write_all(std::span<const char> bytes) {
        while (!bytes.empty()) {
            const ssize_t n = ::write(fd_, bytes.data(), bytes.size());
            if (n < 0 && errno == EINTR) continue;
            if (n < 0) fail(path_, "cannot write", errno);
            bytes = bytes.subspan(static_cast<std::size_t>(n));
        }
    }

    std::string path_;
    fs::path name_;
    int fd_ = -1;
    std::string buffer_;
};

/// Makes the new name survive a power failure. The file is whole either way, so a file system that
/// cannot do this is not an error.
void sync_folder(const fs::path& folder) {
    const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return;
    ::fsync(fd);
    ::close(fd);
}

}  // namespace

void check_output(const std::string& path, bool overwrite) {
    const fs::path target = follow_links(path);
    if (existing_mode(path, target) && !overwrite) {
        throw Error(ErrorCode::kIo, path + ": exists already", "`force` replaces it");
    }
    remove_leftovers(target);
    const TemporaryFile probe(path, target);
}

void check_room(const std::string& path, std::uint64_t bytes) {
    std::error_code unknown;
    const fs::space_info disk = fs::space(folder_of(follow_links(path)), unknown);
    if (unknown || disk.available >= bytes) return;
    throw Error(ErrorCode::kIo,
                fmt::format("{}: takes about {}, but the disk has room for {}", path,
                            bytes_text(bytes), bytes_text(disk.available)),
                "make room, or write to another disk");
}

bool same_file(const std::string& a, const std::string& b) {
    std::error_code error;
    if (fs::equivalent(a, b, error)) return true;
    const auto full = [](const std::string& path) {
        std::error_code problem;
        fs::path target = fs::weakly_canonical(fs::absolute(last_link(path), problem), problem);
        return problem ? fs::path() : target;
    };
    return !full(a).empty() && full(a) == full(b);
}

void write_atomically(const std::string& path, const std::function<void(const FileSink&)>& fill,
                      Existing existing) {
    const fs::path target = follow_links(path);
    const auto mode = existing_mode(path, target);
    if (mode && existing == Existing::kKeep) refuse_existing(path);
    remove_leftovers(target);
    TemporaryFile file(path, target);
    fill([&file](std::span<const char> bytes) { file.append(bytes); });
    file.rename_to(target, mode, existing);
    sync_folder(folder_of(target));
}

void write_atomically(const std::string& path, std::string_view content, Existing existing) {
    write_atomically(
        path,
        [content](const FileSink& sink) {
            sink({content.data(), content.size()});
        },
        existing);
}

}  // namespace bitbayes
