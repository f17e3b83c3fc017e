// The folder of a reproduction, and the runs in it: a run that is there already, with the same
// settings, is not done again.
//
//   DIR/runs/NAME.json         {"settings": ..., "seconds": ..., "results": ..., "sha256": of the rest}
//   DIR/checkpoints/NAME.bb    training runs, as `bitbayes train --checkpoint` writes them
#pragma once

#include <functional>
#include <string>

#include "reproduce/plan.hpp"
#include "terminal/output.hpp"
#include "terminal/training.hpp"

namespace bitbayes::cli::reproduce {

class RunStore {
  public:
    /// Makes the folder. Error(kIo) if it holds anything else, unless --force is given; --force
    /// also discards the stored runs.
    explicit RunStore(const Plan& plan);

    /// The content of DIR/runs/NAME.json, else the result of `work`, which is then stored.
    /// Error(kUsage) if the stored run had other settings, Error(kData) if it is not as it was
    /// written.
    Json run(const std::string& name, const Json& settings,
             const std::function<Json()>& work) const;

    /// The checkpoint that a training run saves, and continues from if it exists.
    CheckpointFiles checkpoint(const std::string& name) const;

    std::string path(const std::string& name) const { return folder_ + "/" + name; }

  private:
    std::string folder_;
};

}  // namespace bitbayes::cli::reproduce
