// One run of the trainer with what happens along the way: progress, checkpoints, interrupts.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bitbayes/error.hpp"
#include "bitbayes/train.hpp"
#include "common.hpp"
#include "learn/trainer.hpp"
#include "model/model_file.hpp"

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

    const learn::Trainer& trainer() const { return trainer_; }
    const std::vector<EpochReport>& history() const { return trainer_.position().history; }

  private:
    model::RunSettings settings(const TrainOptions& options) const;
    model::Checkpoint start() const;
    void save_checkpoint() const;
    Error interrupted() const;

    const Common& common_;
    const LoadedData& data_;
    const CheckpointFiles& files_;
    model::RunSettings settings_;
    learn::Trainer trainer_;
};

}  // namespace bitbayes::cli
