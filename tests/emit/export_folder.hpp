// An export in a temporary folder.
#pragma once

#include <filesystem>
#include <fstream>

#include "emit/files.hpp"
#include "tools/temporary_folder.hpp"

namespace bitbayes::test {

class ExportFolder {
  public:
    explicit ExportFolder(const emit::Files& files) {
        for (const auto& [name, text] : files) {
            std::filesystem::create_directories((path() / name).parent_path());
            std::ofstream(path() / name, std::ios::binary) << text;
        }
    }
    const std::filesystem::path& path() const { return folder_.path(); }

  private:
    tools::TemporaryFolder folder_;
};

}  // namespace bitbayes::test
