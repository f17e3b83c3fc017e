#include "training.hpp"

#include <fmt/format.h>

#include <utility>

#include "data/split.hpp"
#include "progress.hpp"
#include "signals.hpp"

namespace bitbayes::cli {

namespace {

learn::Trainer trainer_from(model::Checkpoint from, const LoadedData& data,
                            const TrainOptions& options) {
    return {std::move(from.model), data.train, data.has_test() ? &data.test : nullptr, options,
            std::move(from.position)};
}

}  // namespace

Training::Training(const Common& common, const LoadedData& data, const TrainOptions& options,
                   const CheckpointFiles& files)
    : common_(common),
      data_(data),
      files_(files),
      settings_(settings(options)),
      trainer_(trainer_from(start(), data, options)) {}

bool Training::run(const std::function<void()>& epoch_done) {
    const auto& from = trainer_.position();
    Progress progress(progress_style(common_), from.epochs_done, from.sample);
    const InterruptFlag interrupt;
    learn::Trainer::Hooks hooks;
    hooks.every = files_.every;
    hooks.progress = [&](const TrainProgress& now) {
        progress.step(now);
        return !interrupt.raised();
    };
    hooks.epoch = [&](const EpochReport& report) {
        progress.epoch_done(report.test ? &*report.test : nullptr);
        if (epoch_done) epoch_done();
    };
    if (!files_.save.empty()) hooks.checkpoint = [this] { save_checkpoint(); };
    const bool finished = trainer_.run(hooks);
    save_checkpoint();
    if (!finished) throw interrupted();
    return interrupt.raised();
}

model::RunSettings Training::settings(const TrainOptions& options) const {
    model::RunSettings result{options, "", ""};
    if (files_.save.empty() && files_.resume.empty()) return result;
    result.data_fingerprint = data::fingerprint(data_.train);
    if (data_.has_test()) result.test_fingerprint = data::fingerprint(data_.test);
    return result;
}

model::Checkpoint Training::start() const {
    if (files_.resume.empty()) {
        return {learn::initial_model(data_.train, settings_.options), {}, settings_};
    }
    auto saved = model::load_checkpoint(files_.resume);
    model::check_same_run(saved.settings, settings_);
    return saved;
}

void Training::save_checkpoint() const {
    if (files_.save.empty()) return;
    model::save_checkpoint(files_.save, trainer_.model(), trainer_.position(), settings_);
}

Error Training::interrupted() const {
    const auto& at = trainer_.position();
    const auto hint = files_.save.empty()
                          ? std::string("with --checkpoint FILE a run can go on later")
                          : "go on with --resume " + files_.save;
    return Error(ErrorCode::kInterrupted,
                 fmt::format("interrupted at epoch {}, sample {}", at.epochs_done + 1, at.sample),
                 hint);
}

}  // namespace bitbayes::cli
