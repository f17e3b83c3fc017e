// Training: epochs over a data set, with progressive (test-then-train) error and an evaluation
// after each epoch.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bitbayes/model.hpp"
#include "bitbayes/types/export.hpp"
#include "bitbayes/types/options.hpp"
#include "bitbayes/types/reports.hpp"
#include "bitbayes/types/rows.hpp"

namespace bitbayes {

/// Called between blocks of samples, when all trees have learned the same samples.
struct TrainCallbacks {
    std::function<bool(const TrainProgress&)> progress = {};  // return false to stop
    std::function<void(const EpochReport&)> epoch = {};
    std::string checkpoint = {};  // save the run here as it goes; empty: do not
    std::uint64_t every = 0;      // samples between checkpoints, across epochs; 0: once per epoch
};

struct TrainResult {
    Model model;
    std::vector<EpochReport> history;
    double error_progressive =
        0;  // of the first epoch: each sample before it was learned for the first time
    double seconds = 0;
};

/// All epochs at once. Error(kUsage) names an option that is out of its range, Error(kData) data that
/// cannot be learned.
BITBAYES_API TrainResult train(const LabelledRows& training, const TrainOptions& options = {},
                               const Dataset* test = nullptr, const TrainCallbacks& callbacks = {});

/// A run that can be stopped, saved and resumed: the bytes of the model do not depend on it. The data
/// must outlive it.
class BITBAYES_API Trainer {
  public:
    explicit Trainer(const LabelledRows& training, const TrainOptions& options = {},
                     std::optional<LabelledRows> test = std::nullopt);
    /// Goes on where a checkpoint stands. Error(kUsage) if it is of another run: other data, or
    /// other options than the number of epochs, threads and backend.
    static Trainer resume(const std::string& checkpoint, const LabelledRows& training,
                          const TrainOptions& options = {},
                          std::optional<LabelledRows> test = std::nullopt);
    Trainer(Trainer&&) noexcept;
    Trainer& operator=(Trainer&&) noexcept;
    ~Trainer();

    /// Trains until options.epochs are done in all (true), or a callback says stop (false).
    bool run(const TrainCallbacks& callbacks = {});
    void save_checkpoint(const std::string& path) const;

    /// As it is now.
    Model model() const;
    std::size_t epochs_done() const;
    std::size_t sample() const;  // learned of the epoch under way
    const std::vector<EpochReport>& history() const;
    double error_progressive() const;  // of the first epoch
    double seconds() const;  // training only, of all epochs, including those before a resume
    const learn::LiveModel& live() const;  // for the sources of this library

  private:
    struct Impl;
    explicit Trainer(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

/// What options mean unless they are given: for teacher:M data the student of the paper, else
/// TrainOptions{}.
BITBAYES_API TrainOptions default_options(const Rows& training);

}  // namespace bitbayes
