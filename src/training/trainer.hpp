// Epochs over a data set. The position is one number (epoch, sample): all trees have learned the
// same samples whenever a callback runs, so any such moment can be saved and resumed, with the same
// bytes in the end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "bitbayes/types/options.hpp"
#include "bitbayes/types/reports.hpp"
#include "bitbayes/types/rows.hpp"
#include "dist/communicator.hpp"
#include "learn/live_model.hpp"
#include "learn/model_state.hpp"

namespace bitbayes::training {

/// What a checkpoint holds besides the model.
struct TrainPosition {
    std::size_t epochs_done = 0;
    std::size_t sample = 0;          // samples learned in the current epoch
    std::uint64_t epoch_errors = 0;  // progressive errors of the current epoch
    double epoch_seconds = 0;        // training time of the current epoch
    std::vector<EpochReport> history;
};

/// Rows that dense networks learn at once where nothing else decides.
inline constexpr std::uint64_t kDenseBatch = 30;

/// Default options: those of the paper for teacher:M data.
TrainOptions default_options(const Rows& training);

/// `options` with every choice made that they leave to the kind of data and network; validated.
TrainOptions decided(TrainOptions options, const Rows& training);

/// How decided options have a network learn.
learn::Practice practice_of(const TrainOptions& options);

/// The evidence of a dense network with these hidden layers where nothing else decides. Steps of
/// narrow layers are larger, since d grows as 1 / sqrt(K), and must be held back: measured in
/// docs/dense.md.
double dense_evidence(const std::vector<std::size_t>& widths);

/// The model before the first sample: options validated, preprocessing fitted, prior drawn. Of the
/// classes that occur in the rows, or of all that are named; `labels` are indices into any list of names.
/// Ranks that share the network have each the posterior of their own trees.
learn::ModelState initial_model(const LabelledRows& training, const TrainOptions& options,
                                dist::Communicator& ranks = dist::alone());
learn::ModelState initial_model(const Rows& training, std::vector<std::string> class_names,
                                const TrainOptions& options,
                                dist::Communicator& ranks = dist::alone(),
                                std::span<const std::uint32_t> labels = {});

class Trainer {
  public:
    /// The data must outlive it. `position` is where a resumed run continues.
    Trainer(learn::ModelState model, const LabelledRows& training, std::optional<LabelledRows> test,
            const TrainOptions& options, TrainPosition position = {},
            dist::Communicator& ranks = dist::alone());

    struct Hooks {
        std::function<bool(const TrainProgress&)> progress;  // at block ends; false stops the run
        std::function<void(const EpochReport&)> epoch;
        std::function<void()> checkpoint;  // every `every` samples
        std::uint64_t every = 0;  // counted across epochs, at ends of batches; 0: once per epoch
    };
    /// Trains until options.epochs epochs are done in total and polishes the clipped network (true),
    /// or until a hook stops it (false).
    bool run(const Hooks& hooks);

    const learn::LiveModel& model() const { return model_; }
    const TrainPosition& position() const { return position_; }

    double error_progressive() const;  // of the first epoch
    double seconds() const;  // training only, of all epochs, including those before a resume
    double seconds_polish() const { return polish_seconds_; }
    /// The last epoch's evaluation, with the polished network's error.
    const std::optional<Evaluation>& final_test() const { return final_test_; }

  private:
    std::vector<std::size_t> epoch_order() const;
    std::uint64_t total() const;
    std::size_t next_block(std::uint64_t every) const;
    data::Shift shift() const;  // of the current epoch
    void learn(std::span<const std::size_t> rows, std::span<const std::size_t> upcoming);
    TrainProgress progress() const;
    void finish_epoch();
    bool polish(const std::function<bool(const TrainProgress&)>& progress);

    const LabelledRows training_;
    const std::optional<LabelledRows> test_;
    const TrainOptions options_;  // decided
    learn::LiveModel model_;
    TrainPosition position_;
    std::vector<std::uint32_t> labels_;  // of the training rows, as class indices of the model
    std::vector<float> weights_;         // of the training rows; empty: 1 each

    // Of this run.
    std::uint64_t weight_updates_ = 0;
    double run_seconds_ = 0, polish_seconds_ = 0;
    std::optional<Evaluation> final_test_;
    std::uint64_t block_errors_ = 0, block_rows_ = 0;  // of the block just learned
    std::vector<std::uint32_t> block_labels_;
    std::vector<float> block_weights_;
};

}  // namespace bitbayes::training
