// Results of runs, one file each: a run that is there already, with the same settings, is not done again.
//
//   FOLDER/NAME.json    {"settings": ..., "seconds": ..., "results": ..., "sha256": of the rest}
//   FOLDER/NAME.lock    while somebody is doing the run (claim.hpp)
#pragma once

#include <optional>
#include <string>

#include "terminal/claim.hpp"
#include "terminal/output.hpp"

namespace bitbayes::cli {

/// Error(kIo) if it cannot be made.
void make_folder(const std::string& path);

class RunFolder {
  public:
    /// The folder is made if it is missing.
    explicit RunFolder(const std::string& folder);

    bool has(const std::string& name) const;
    /// The stored run without its sum; nullopt if there is none. Error(kUsage) if it had other settings,
    /// Error(kData) if it is not as it was written.
    std::optional<Json> find(const std::string& name, const Json& settings) const;
    /// Returns what find() will.
    Json store(const std::string& name, const Json& settings, double seconds, Json results) const;
    void remove(const std::string& name) const;

    std::optional<Claim> claim(const std::string& name) const;
    /// Removes locks that nobody holds: those of processes that were killed.
    void sweep_locks() const;

    const std::string& path() const { return folder_; }

  private:
    std::string file(const std::string& name) const;

    std::string folder_;
};

}  // namespace bitbayes::cli
