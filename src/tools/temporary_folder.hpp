// A folder under the system's temporary one that lives as long as the object. Programs run in it on
// files whose names are ours: neither its path nor other files of a user's folder reach them.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bitbayes::tools {

class TemporaryFolder {
  public:
    /// Error(kIo) if it cannot be made.
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    const std::filesystem::path& path() const { return path_; }

    /// Error(kIo) if it cannot be written.
    void write(const std::string& name, std::string_view bytes) const;
    /// Empty if there is no such file.
    std::string read(const std::string& name) const;
    /// The files FOLDER/NAME as NAME. Error(kIo) if one cannot be copied.
    void copy(const std::filesystem::path& folder, std::span<const std::string> names) const;
    /// Runs a program here, which puts its own temporary files here too; `output` takes what it
    /// says. As tools::run.
    std::optional<int> run(const std::vector<std::string>& words, const std::string& output,
                           double seconds = 0) const;
    /// Error(kIo) if a program may have failed for lack of room.
    void check_room() const;

  private:
    std::filesystem::path path_;
};

}  // namespace bitbayes::tools
