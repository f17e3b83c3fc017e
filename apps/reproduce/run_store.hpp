// The folder of a reproduction, and the runs in it: a run that is there already, with the same
// settings, is not done again.
//
//   DIR/runs/NAME.json         results (terminal/run_folder.hpp)
//   DIR/checkpoints/NAME.bb    training runs, as `bitbayes train --checkpoint` writes them
//
// Several ranks go through all runs twice. First everybody does what nobody has claimed, and nobody
// waits; then rank 0 finds all of it there, and makes the results.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "reproduce/plan.hpp"
#include "terminal/output.hpp"
#include "terminal/run_folder.hpp"
#include "terminal/training.hpp"

namespace bitbayes::cli::reproduce {

class RunStore {
  public:
    /// Makes the folder. Error(kIo) if it holds anything else, unless --force is given; --force
    /// also discards the stored runs. To be called by all ranks.
    explicit RunStore(const Plan& plan);
    /// The same folder for one of several threads: each run is the turn of the first that asks. Copies share their turns.
    RunStore among_threads() const;

    /// Whether runs that are somebody else's are left out: those that are left out have null as their result.
    bool sharing() const { return sharing_; }
    /// Ends it.
    void stop_sharing() { sharing_ = false; }

    /// The content of DIR/runs/NAME.json, else the result of `work`, which is then stored.
    /// Error(kUsage) if the stored run had other settings, Error(kData) if it is not as it was
    /// written.
    Json run(const std::string& name, const Json& settings,
             const std::function<Json()>& work) const;

    /// Whether the caller is to do the run: a claim that lasts as long as what is returned.
    struct Turn {
        bool mine = true;
        std::optional<Claim> claim = std::nullopt;
    };
    Turn turn(const std::string& name) const;

    /// The checkpoint that a training run saves, and continues from if it exists.
    CheckpointFiles checkpoint(const std::string& name) const;

  private:
    std::string path(const std::string& name) const { return folder_ + "/" + name; }

    const std::string folder_;
    std::optional<RunFolder> runs_;
    bool sharing_;
    bool claims_work_ = true;
    mutable std::size_t asked_ = 0;  // turns so far, the same on every rank

    struct Taken {
        std::mutex mutex;
        std::set<std::string> names;
    };
    std::shared_ptr<Taken> taken_;  // by threads; null: there is one
};

}  // namespace bitbayes::cli::reproduce
