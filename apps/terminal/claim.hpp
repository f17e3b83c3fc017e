// A claim on one piece of work among processes that share a folder: an flock, which the kernel
// releases when its holder dies, so that no claim is ever stale.
#pragma once

#include <optional>
#include <string>

namespace bitbayes::cli {

class Claim {
  public:
    /// nullopt if somebody else, another thread included, holds the claim. Error(kIo) if the file cannot
    /// be made.
    static std::optional<Claim> take(const std::string& path);
    Claim(Claim&& other) noexcept;
    Claim& operator=(Claim&&) = delete;
    /// Removes the file.
    ~Claim();

  private:
    Claim(std::string path, int file);

    std::string path_;
    int file_;
};

/// Whether files in the folder can be locked; some network file systems have no locks, and then
/// everybody gets every claim.
bool claims_work(const std::string& folder);

}  // namespace bitbayes::cli
