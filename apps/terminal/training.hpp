// One run of the trainer with what happens along the way: progress, checkpoints, interrupts.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bitbayes/train.hpp"
#include "bitbayes/types/error.hpp"
#include "bitbayes/types/reading.hpp"
#include "terminal/common.hpp"

namespace bitbayes::cli {

struct CheckpointFiles {
    std::string save;    // empty: none
    std::string resume;  // go on from this one; empty: start
    std::uint64_t every = 0;
};

class Training {
  public:
    /// Keeps references to all but the options. Error(kUsage) if `files.resume` is another run.
    Training(const Common& common, const LoadedData& data, const TrainOptions& options,
             const CheckpointFiles& files);

    /// Calls `epoch_done` after each epoch. Throws Error(kInterrupted), the checkpoint written,
    /// after SIGINT or SIGTERM; returns true if one came too late to stop this run.
    bool run(const std::function<void()>& epoch_done = {});

    const Trainer& trainer() const { return trainer_; }
    const std::vector<EpochReport>& history() const { return trainer_.history(); }

  private:
    Error interrupted() const;

    const Common& common_;
    const CheckpointFiles& files_;
    Trainer trainer_;
};

}  // namespace bitbayes::cli
