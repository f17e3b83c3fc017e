// The folder of a reproduction, and the runs in it: a run that is there already, with the same
// settings, is not done again.
//
//   DIR/runs/NAME.json         {"settings": ..., "seconds": ..., "results": ...}
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
    /// Makes the folder. Error(kIo) if it holds something else, unless --force; --force also forgets
    /// the runs that are there.
    explicit RunStore(const Plan& plan);

    /// What DIR/runs/NAME.json holds, else what `work` finds, which is then stored. Error(kUsage) if
    /// the stored run had other settings.
    Json run(const std::string& name, const Json& settings,
             const std::function<Json()>& work) const;

    /// Where a training run saves itself, and goes on from if it did before.
    CheckpointFiles checkpoint(const std::string& name) const;

    std::string path(const std::string& name) const { return folder_ + "/" + name; }

  private:
    std::string folder_;
};

}  // namespace bitbayes::cli::reproduce
