#include "base/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>

#include "bitbayes/types/error.hpp"

namespace bitbayes {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& path, const std::string& what, int error) {
    throw Error(ErrorCode::kIo, fmt::format("{}: {}: {}", path, what, std::strerror(error)));
}

/// The file to replace: symbolic links are followed, so that the links survive. The file itself may
/// be missing.
fs::path follow_links(const std::string& path) {
    constexpr int kMaxLinks = 40;
    fs::path target = path;
    if (!target.has_filename())
        throw Error(ErrorCode::kIo, fmt::format("'{}' names no file", path));
    std::error_code error;
    for (int i = 0; i < kMaxLinks; ++i) {
        const fs::path next = fs::read_symlink(target, error);
        if (error) return target;
        target = target.parent_path() / next;
    }
    fail(path, "cannot write", ELOOP);
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

/// A new file beside the target, removed by the destructor unless it was renamed.
class TemporaryFile {
  public:
    TemporaryFile(std::string path, const fs::path& target) : path_(std::move(path)) {
        constexpr int kMaxLeftovers = 1000;    // from killed processes with the same process id
        constexpr std::size_t kMaxStem = 200;  // bytes
        const std::string stem = target.filename().string().substr(0, kMaxStem);
        const fs::path folder = folder_of(target);
        for (int i = 0; i < kMaxLeftovers && fd_ < 0; ++i) {
            name_ = folder / fmt::format(".{}.{}-{}.tmp", stem, ::getpid(), i);
            fd_ = ::open(name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
            if (fd_ < 0 && errno != EEXIST) break;
        }
        if (fd_ < 0) fail(path_, fmt::format("cannot create a file in {}", folder.string()), errno);
    }
    ~TemporaryFile() {
        if (fd_ >= 0) ::close(fd_);
        if (!name_.empty()) ::unlink(name_.c_str());
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

    void rename_to(const fs::path& target, std::optional<mode_t> mode) {
        flush();
        if (mode && ::fchmod(fd_, *mode) != 0) fail(path_, "cannot set its permissions", errno);
        if (::fsync(fd_) != 0) fail(path_, "cannot write", errno);
        if (::close(std::exchange(fd_, -1)) != 0) fail(path_, "cannot write", errno);
        if (::rename(name_.c_str(), target.c_str()) != 0) fail(path_, "cannot rename", errno);
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
        throw Error(ErrorCode::kIo, path + ": exists already", "--force overwrites it");
    }
    const TemporaryFile probe(path, target);
}

void write_atomically(const std::string& path, const std::function<void(const FileSink&)>& fill) {
    const fs::path target = follow_links(path);
    const auto mode = existing_mode(path, target);
    TemporaryFile file(path, target);
    fill([&file](std::span<const char> bytes) { file.append(bytes); });
    file.rename_to(target, mode);
    sync_folder(folder_of(target));
}

void write_atomically(const std::string& path, std::string_view content) {
    write_atomically(path, [content](const FileSink& sink) {
        sink({content.data(), content.size()});
    });
}

}  // namespace bitbayes
