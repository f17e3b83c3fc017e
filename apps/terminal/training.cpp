#include "terminal/training.hpp"

#include <fmt/format.h>

#include <optional>

#include "terminal/progress.hpp"
#include "terminal/report.hpp"
#include "terminal/signals.hpp"

namespace bitbayes::cli {

namespace {

/// Runs trials of the evidence if the options ask for them.
training::Choice chosen(const Common& common, const LoadedData& data, const TrainOptions& options,
                        const CheckpointFiles& files, dist::Communicator& ranks,
                        const Announcement& announce) {
    if (!files.resume.empty()) return {options, {}, 0};  // the checkpoint holds the choice
    Progress progress(progress_style(common));
    const InterruptFlag interrupt;
    std::string where;
    training::ChoiceHooks hooks;
    hooks.go_on = [&] { return !ranks.any(interrupt.raised()); };
    hooks.started = [&](const learn::ModelState& model, const TrainOptions& decided) {
        where = " while choosing the evidence";
        if (announce) announce(model, decided);
        if (common.json) return;
        note(common, "choosing the evidence in short runs on a part of the training rows");
    };
    hooks.trial = [&](std::size_t trial) { progress.choosing(trial); };
    auto choice = training::choose(LabelledRows(data.train), options, hooks, ranks);
    if (ranks.any(interrupt.raised())) {
        throw Error(ErrorCode::kInterrupted, "interrupted" + where,
                    where.empty() ? "" : "a run with --evidence X starts without this");
    }
    return choice;
}

Trainer start(const LoadedData& data, const TrainOptions& options, const CheckpointFiles& files,
              dist::Communicator& ranks) {
    std::optional<LabelledRows> test;
    if (data.has_test()) test.emplace(data.test);
    if (files.resume.empty()) return Trainer(data.train, options, test, {}, &ranks);
    return Trainer::resume(files.resume, data.train, options, test, &ranks);
}

}  // namespace

Training::Training(const Common& common, const LoadedData& data, const TrainOptions& options,
                   const CheckpointFiles& files, dist::Communicator& ranks,
                   const Announcement& announce)
    : common_(common),
      files_(files),
      ranks_(ranks),
      threads_(options.threads),
      tested_(data.has_test()),
      choice_(chosen(common, data, options, files, ranks, announce)),
      trainer_(start(data, choice_.options, files, ranks)) {
    const bool announced = !choice_.trials.empty();
    if (announce && !announced) announce(trainer_.live().description(), trainer_.options());
}

bool Training::run(const std::function<void()>& epoch_done,
                   const std::function<std::string()>& keep) {
    Progress progress(progress_style(common_), tested_, trainer_.epochs_done(), trainer_.sample());
    const InterruptFlag interrupt;
    bool noted = false;
    const auto note_once = [&] { noted = noted || note_threads(common_, threads_); };
    TrainCallbacks callbacks;
    callbacks.checkpoint = files_.save;
    callbacks.every = files_.every;
    callbacks.overwrite = files_.overwrite;
    callbacks.progress = [&](const TrainProgress& now) {
        if (now.polish_round == 0) progress.step(now);
        polishing_ = now.polish_round > 0;
        if (polishing_) progress.polishing(now.polish_round);
        return !ranks_.any(interrupt.raised());
    };
    callbacks.epoch = [&](const EpochReport& report) {
        progress.epoch_done(report.test ? &*report.test : nullptr);
        note_once();
        if (epoch_done) epoch_done();
    };
    const bool finished = trainer_.run(callbacks);
    note_once();
    if (!files_.save.empty()) trainer_.save_checkpoint(files_.save, files_.overwrite);
    if (!finished && polishing_ && files_.save.empty() && keep)
        throw Error(ErrorCode::kInterrupted, "interrupted while polishing", keep());
    if (!finished) throw interrupted();
    return ranks_.any(interrupt.raised());
}

Error Training::interrupted() const {
    const auto hint = files_.save.empty()
                          ? std::string("with --checkpoint FILE a run can go on later")
                          : "go on with --resume " + files_.save;
    const std::string where =
        polishing_
            ? "while polishing"
            : fmt::format("at epoch {}, sample {}", trainer_.epochs_done() + 1, trainer_.sample());
    return Error(ErrorCode::kInterrupted, "interrupted " + where, hint);
}

}  // namespace bitbayes::cli
