// The public API of training.
#include "bitbayes/train.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "data/folds.hpp"
#include "data/split.hpp"
#include "dist/communicator.hpp"
#include "model/model_file.hpp"
#include "training/choose.hpp"
#include "training/cross_validate.hpp"
#include "training/trainer.hpp"

namespace bitbayes {

namespace {

dist::Communicator& or_alone(dist::Communicator* ranks) {
    return ranks != nullptr ? *ranks : dist::alone();
}

}  // namespace

struct Trainer::Impl {
    LabelledRows training;
    std::optional<LabelledRows> test;
    model::RunSettings settings;
    training::Trainer trainer;
    std::vector<EvidenceTrial> trials = {};
    double seconds_auto = 0;
    std::string checkpoint = {};  // the last file that this run wrote

    /// Fingerprints cost a pass over the data, so they are computed on first use.
    static model::RunSettings settings_of(const LabelledRows& training,
                                          const std::optional<LabelledRows>& test,
                                          const TrainOptions& options) {
        return {options, data::fingerprint(training), test ? data::fingerprint(*test) : ""};
    }

    const model::RunSettings& fingerprinted() {
        if (settings.data_fingerprint.empty()) {
            settings = settings_of(training, test, settings.options);
        }
        return settings;
    }
};

Trainer::Trainer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Trainer::Trainer(const LabelledRows& training, const TrainOptions& options,
                 std::optional<LabelledRows> test, const std::function<bool()>& go_on,
                 dist::Communicator* ranks)
    : Trainer(training, training::choose(training, options, {.go_on = go_on}, or_alone(ranks)),
              std::move(test), or_alone(ranks)) {}

Trainer::Trainer(const LabelledRows& training, training::Choice choice,
                 std::optional<LabelledRows> test, dist::Communicator& ranks)
    : impl_(new Impl{training,
                     test,
                     {choice.options, "", ""},
                     training::Trainer(training::initial_model(training, choice.options, ranks),
                                       training, test, choice.options, {}, ranks),
                     std::move(choice.trials),
                     choice.seconds}) {}

Trainer Trainer::resume(const std::string& checkpoint, const LabelledRows& training,
                        const TrainOptions& asked, std::optional<LabelledRows> test,
                        dist::Communicator* ranks) {
    auto saved = model::load_checkpoint(checkpoint);
    const TrainOptions options = model::as_saved(asked, saved.settings.options);
    auto settings = Impl::settings_of(training, test, training::decided(options, training.rows));
    model::check_same_run(saved.settings, settings);
    return Trainer(std::unique_ptr<Impl>(
        new Impl{training, test, std::move(settings),
                 training::Trainer(std::move(saved.model), training, test, options,
                                   std::move(saved.position), or_alone(ranks))}));
}

Trainer::Trainer(Trainer&&) noexcept = default;
Trainer& Trainer::operator=(Trainer&&) noexcept = default;
Trainer::~Trainer() = default;

bool Trainer::run(const TrainCallbacks& callbacks) {
    training::Trainer::Hooks hooks;
    hooks.progress = callbacks.progress;
    hooks.epoch = callbacks.epoch;
    hooks.every = callbacks.every;
    if (!callbacks.checkpoint.empty()) {
        hooks.checkpoint = [&] { save_checkpoint(callbacks.checkpoint, callbacks.overwrite); };
    }
    return impl_->trainer.run(hooks);
}

void Trainer::save_checkpoint(const std::string& path, bool overwrite) const {
    const bool replace = overwrite || path == impl_->checkpoint;
    learn::ModelState state = live().snapshot();
    state.polished.reset();  // a resumed run polishes again
    model::save_checkpoint(path, state, impl_->trainer.position(), impl_->fingerprinted(),
                           replace ? Existing::kReplace : Existing::kKeep, live().ranks());
    impl_->checkpoint = path;
}

const learn::LiveModel& Trainer::live() const { return impl_->trainer.model(); }
Model Trainer::model() const { return Model(live().snapshot()); }
std::size_t Trainer::epochs_done() const { return impl_->trainer.position().epochs_done; }
std::size_t Trainer::sample() const { return impl_->trainer.position().sample; }
const std::vector<EpochReport>& Trainer::history() const {
    return impl_->trainer.position().history;
}
double Trainer::error_progressive() const { return impl_->trainer.error_progressive(); }
double Trainer::seconds() const { return impl_->trainer.seconds(); }
const TrainOptions& Trainer::options() const { return impl_->settings.options; }
const std::vector<EvidenceTrial>& Trainer::trials() const { return impl_->trials; }
double Trainer::seconds_auto() const { return impl_->seconds_auto; }
double Trainer::seconds_polish() const { return impl_->trainer.seconds_polish(); }
const std::optional<Evaluation>& Trainer::final_test() const { return impl_->trainer.final_test(); }

Spread CrossValidation::spread(double Evaluation::*figure) const {
    Spread result;
    for (const Evaluation& fold : folds) result.values.push_back(fold.*figure);
    const auto n = static_cast<double>(folds.size());
    for (const double value : result.values) result.mean += value / n;
    for (const double value : result.values) {
        result.deviation += (value - result.mean) * (value - result.mean);
    }
    if (folds.size() > 1) result.deviation = std::sqrt(result.deviation / (n - 1));
    return result;
}

CrossValidation cross_validate(const Dataset& data, std::size_t folds, const TrainOptions& options,
                               const FoldCallbacks& callbacks, dist::Communicator* ranks) {
    const auto fold_of_row = data::draw_folds(data, folds, options.seed);
    CrossValidation result;
    result.untested =
        static_cast<std::size_t>(std::count(fold_of_row.begin(), fold_of_row.end(), data::kNoFold));
    for (std::uint32_t fold = 0; fold < folds; ++fold) {
        const auto progress = [&](const TrainProgress& now) {
            return !callbacks.progress || callbacks.progress(fold, now);
        };
        auto evaluation =
            training::evaluate_fold(data, fold_of_row, fold, options, progress, or_alone(ranks));
        if (!evaluation) break;
        if (callbacks.done) callbacks.done(fold, *evaluation);
        result.folds.push_back(std::move(*evaluation));
    }
    return result;
}

Model new_model(const Rows& rows, const std::vector<std::string>& class_names,
                const TrainOptions& options) {
    return Model(training::initial_model(rows, class_names, options));
}

TrainOptions default_options(const Rows& training) { return training::default_options(training); }

TrainResult train(const LabelledRows& training, const TrainOptions& options, const Dataset* test,
                  const TrainCallbacks& callbacks) {
    Trainer trainer(training, options, test ? std::optional(LabelledRows(*test)) : std::nullopt);
    trainer.run(callbacks);
    return {trainer.model(),     trainer.history(),      trainer.error_progressive(),
            trainer.seconds(),   trainer.seconds_auto(), trainer.seconds_polish(),
            trainer.final_test()};
}

}  // namespace bitbayes
