// Epochs over a data set. The position is one number (epoch, sample): all trees have learned the
// same samples whenever a callback runs, so that any such moment can be saved and resumed with the
// same bytes in the end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "bitbayes/train.hpp"
#include "learn/model_state.hpp"

namespace bitbayes::learn {

/// What a checkpoint holds beside the model.
struct TrainPosition {
    std::size_t epochs_done = 0;
    std::size_t sample = 0;          // learned of the epoch under way
    std::uint64_t epoch_errors = 0;  // progressive errors of the epoch under way
    double epoch_seconds = 0;        // training time of the epoch under way
    std::vector<EpochReport> history;
};

/// The model before the first sample: preprocessing fitted, prior drawn.
ModelState initial_model(const Dataset& training, const TrainOptions& options);

class Trainer {
  public:
    /// Keeps references to the data. `position` is where to go on, for a resumed run.
    Trainer(ModelState model, const Dataset& training, const Dataset* test,
            const TrainOptions& options, TrainPosition position = {});
    ~Trainer();

    struct Hooks {
        std::function<bool(const TrainProgress&)> progress;  // at block ends; false stops the run
        std::function<void(const EpochReport&)> epoch;
        std::function<void()> checkpoint;  // every `every` samples
        std::uint64_t every = 0;           // counted across epochs; 0: once per epoch
    };
    /// Trains until options.epochs are done in all (true), or a hook says stop (false).
    bool run(const Hooks& hooks);

    const ModelState& model() const;
    const TrainPosition& position() const;
    ModelState take_model();

    double error_progressive() const;  // of the first epoch
    double seconds() const;            // training only, of all epochs, also of before a resume
    unsigned threads() const;
    const char* backend() const;  // the kernels in use, e.g. "scalar"

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace bitbayes::learn
