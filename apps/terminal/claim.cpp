#include "terminal/claim.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "bitbayes/types/error.hpp"

namespace bitbayes::cli {

namespace {

enum class Lock { kHeld, kTaken, kNone };

Lock lock(int file, const std::string& path) {
    while (::flock(file, LOCK_EX | LOCK_NB) != 0) {
        if (errno == EWOULDBLOCK) return Lock::kTaken;
        if (errno == ENOLCK || errno == EOPNOTSUPP || errno == ENOSYS || errno == EINVAL) {
            return Lock::kNone;
        }
        if (errno != EINTR) {
            throw Error(ErrorCode::kIo, fmt::format("{}: {}", path, std::strerror(errno)));
        }
    }
    return Lock::kHeld;
}

int open_lock(const std::string& path) {
    const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file >= 0) return file;
    throw Error(ErrorCode::kIo, fmt::format("{}: {}", path, std::strerror(errno)));
}

/// Whether the name still leads to this file: the holder before may have removed it.
bool still_there(int file, const std::string& path) {
    struct stat held {
    }, named{};
    return ::fstat(file, &held) == 0 && ::stat(path.c_str(), &named) == 0 &&
           held.st_ino == named.st_ino && held.st_dev == named.st_dev;
}

}  // namespace

Claim::Claim(std::string path, int file) : path_(std::move(path)), file_(file) {}

Claim::Claim(Claim&& other) noexcept
    : path_(std::move(other.path_)), file_(std::exchange(other.file_, -1)) {}

Claim::~Claim() {
    if (file_ < 0) return;
    ::unlink(path_.c_str());
    ::close(file_);
}

std::optional<Claim> Claim::take(const std::string& path) {
    for (;;) {
        Claim claim(path, open_lock(path));
        const Lock found = lock(claim.file_, path);
        if (found == Lock::kNone || (found == Lock::kHeld && still_there(claim.file_, path))) {
            return claim;
        }
        ::close(std::exchange(claim.file_, -1));
        if (found == Lock::kTaken) return std::nullopt;
    }
}

bool claims_work(const std::string& folder) {
    const std::string path = fmt::format("{}/{}.lock", folder, ::getpid());
    const int file = open_lock(path);
    const bool works = lock(file, path) != Lock::kNone;
    ::unlink(path.c_str());
    ::close(file);
    return works;
}

}  // namespace bitbayes::cli
