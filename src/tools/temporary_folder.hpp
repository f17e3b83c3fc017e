// A folder under the system's temporary one that lives as long as the object.
#pragma once

#include <filesystem>

namespace bitbayes::tools {

class TemporaryFolder {
  public:
    /// Error(kIo) if it cannot be made.
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    const std::filesystem::path& path() const { return path_; }

  private:
    std::filesystem::path path_;
};

}  // namespace bitbayes::tools
