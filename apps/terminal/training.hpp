// One run of the trainer with progress, checkpoints and interrupts.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bitbayes/train.hpp"
#include "bitbayes/types/error.hpp"
#include "bitbayes/types/reading.hpp"
#include "dist/communicator.hpp"
#include "terminal/common.hpp"
#include "training/choose.hpp"

namespace bitbayes::cli {

struct CheckpointFiles {
    std::string save;    // empty: no checkpoints
    std::string resume;  // continue from this checkpoint; empty: a new run
    std::uint64_t every = 0;
    bool overwrite = true;  // a file of this name that the run did not write
};

/// Says what will be learned: the model before its first sample, and all options but the evidence.
using Announcement = std::function<void(const learn::ModelState&, const TrainOptions&)>;

class Training {
  public:
    /// Chooses what the options leave to the data, and calls `announce` before trials of the evidence.
    /// Keeps references to all but the options. Error(kUsage) if `files.resume` belongs to another
    /// run, Error(kInterrupted) after a signal. `ranks` share it.
    Training(const Common& common, const LoadedData& data, const TrainOptions& options,
             const CheckpointFiles& files, dist::Communicator& ranks = dist::alone(),
             const Announcement& announce = {});

    /// Calls `epoch_done` after each epoch. After SIGINT, SIGTERM or SIGHUP writes the checkpoint
    /// and throws Error(kInterrupted); returns true if a signal came too late to stop this run.
    /// `keep` saves the model and returns a hint: called if a signal ends polishing and there is no
    /// checkpoint, so that what was learned is not lost.
    bool run(const std::function<void()>& epoch_done = {},
             const std::function<std::string()>& keep = {});

    const Trainer& trainer() const { return trainer_; }
    const std::vector<EpochReport>& history() const { return trainer_.history(); }
    /// What chose the evidence; empty if it was given.
    const std::vector<EvidenceTrial>& trials() const { return choice_.trials; }
    double seconds_auto() const { return choice_.seconds; }  // of choosing

  private:
    Error interrupted() const;

    const Common& common_;
    const CheckpointFiles& files_;
    dist::Communicator& ranks_;
    const unsigned threads_;
    const bool tested_;
    const training::Choice choice_;
    Trainer trainer_;
    bool polishing_ = false;
};

}  // namespace bitbayes::cli
