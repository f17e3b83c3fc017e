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

namespace training {
struct Choice;
}
namespace dist {
class Communicator;
}

/// Called between blocks of samples, when all trees have learned the same samples.
struct TrainCallbacks {
    std::function<bool(const TrainProgress&)> progress = {};  // return false to stop
    std::function<void(const EpochReport&)> epoch = {};
    std::string checkpoint = {};  // file to save the run to as it goes; empty: none
    std::uint64_t every = 0;      // samples between checkpoints, across epochs; 0: once per epoch
    bool overwrite = true;        // the first checkpoint may replace a file
};

struct TrainResult {
    Model model;
    std::vector<EpochReport> history;
    double error_progressive = 0;  // of the first epoch, each sample answered before it is learned
    double seconds = 0;
    double seconds_auto = 0;  // of choosing options that were left to the data
    double seconds_polish = 0;
    /// On the test rows: the last epoch's, with the error of the polished clipped network.
    std::optional<Evaluation> test;
};

/// Runs all epochs. Error(kUsage) names an option that is out of range; Error(kData) is for data
/// that cannot be learned.
BITBAYES_API TrainResult train(const LabelledRows& training, const TrainOptions& options = {},
                               const Dataset* test = nullptr, const TrainCallbacks& callbacks = {});

/// A run that can be stopped, saved and resumed without changing the bytes of the model. The data
/// must outlive it.
class BITBAYES_API Trainer {
  public:
    /// Chooses what the options leave to the data. `go_on` is asked meanwhile; false ends the search
    /// with the best so far.
    /// `ranks` (null: none) share the network; of the sources of this library.
    explicit Trainer(const LabelledRows& training, const TrainOptions& options = {},
                     std::optional<LabelledRows> test = std::nullopt,
                     const std::function<bool()>& go_on = {}, dist::Communicator* ranks = nullptr);
    /// Continues from a checkpoint, with its choices where `options` leave them open. Error(kUsage) if
    /// it belongs to another run: the data or any option but epochs (which may grow), threads and
    /// backend differs.
    static Trainer resume(const std::string& checkpoint, const LabelledRows& training,
                          const TrainOptions& options = {},
                          std::optional<LabelledRows> test = std::nullopt,
                          dist::Communicator* ranks = nullptr);
    Trainer(Trainer&&) noexcept;
    Trainer& operator=(Trainer&&) noexcept;
    ~Trainer();

    /// Trains until options.epochs epochs are done in total and polishes the clipped network (true),
    /// or until a callback stops it (false).
    bool run(const TrainCallbacks& callbacks = {});
    /// Throws if `overwrite` is false and `path` is a file that this run did not write.
    void save_checkpoint(const std::string& path, bool overwrite = true) const;

    /// A copy of the model in its present state.
    Model model() const;
    std::size_t epochs_done() const;
    std::size_t sample() const;  // samples learned in the current epoch
    const std::vector<EpochReport>& history() const;
    double error_progressive() const;  // of the first epoch
    double seconds() const;  // training only, of all epochs, including those before a resume
    /// With every choice made that was left to the data.
    const TrainOptions& options() const;
    /// What chose the evidence; empty if it was given.
    const std::vector<EvidenceTrial>& trials() const;
    double seconds_auto() const;  // of choosing
    double seconds_polish() const;
    /// Once run() is through: the last epoch's, with the error of the polished clipped network.
    const std::optional<Evaluation>& final_test() const;
    const learn::LiveModel& live() const;  // for the sources of this library

  private:
    struct Impl;
    Trainer(const LabelledRows& training, training::Choice choice, std::optional<LabelledRows> test,
            dist::Communicator& ranks);
    explicit Trainer(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

/// A figure over the folds of a cross-validation.
struct Spread {
    double mean = 0;
    double deviation = 0;  // the standard deviation of the values (n - 1); 0 for a single one
    std::vector<double> values;
};

struct CrossValidation {
    std::vector<Evaluation> folds;  // fewer than asked for if a callback stopped it
    /// Rows that were never tested: those of a class that has only one row, or one group.
    std::size_t untested = 0;

    BITBAYES_API Spread spread(double Evaluation::*figure) const;
};

struct FoldCallbacks {
    /// The fold, from 0; return false to stop.
    std::function<bool(std::size_t fold, const TrainProgress&)> progress = {};
    std::function<void(std::size_t fold, const Evaluation&)> done = {};
};

/// Trains `folds` times, each time without one fold of the rows, which is then evaluated. Folds are
/// drawn by options.seed within each class; rows of one group (Dataset::groups) stay together, and
/// preprocessing sees the training rows of its fold alone. Error(kUsage) for fewer than two folds or
/// more than rows.
BITBAYES_API CrossValidation cross_validate(const Dataset& data, std::size_t folds,
                                            const TrainOptions& options = {},
                                            const FoldCallbacks& callbacks = {},
                                            dist::Communicator* ranks = nullptr);

/// A model that has learned nothing yet, e.g. of a stream: Model::update and learn() do. The statistics
/// of the columns are those of `rows`.
BITBAYES_API Model new_model(const Rows& rows, const std::vector<std::string>& class_names,
                             const TrainOptions& options = {});

/// Default options: the paper's student for teacher:M data, else TrainOptions{}.
BITBAYES_API TrainOptions default_options(const Rows& training);

}  // namespace bitbayes
