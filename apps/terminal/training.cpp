#include "terminal/training.hpp"

#include <fmt/format.h>

#include <optional>

#include "terminal/progress.hpp"
#include "terminal/report.hpp"
#include "terminal/signals.hpp"

namespace bitbayes::cli {

namespace {

Trainer start(const LoadedData& data, const TrainOptions& options, const CheckpointFiles& files,
              dist::Communicator& ranks) {
    std::optional<LabelledRows> test;
    if (data.has_test()) test.emplace(data.test);
    if (files.resume.empty()) return Trainer(data.train, options, test, {}, &ranks);
    return Trainer::resume(files.resume, data.train, options, test, &ranks);
}

}  // namespace

Training::Training(const Common& common, const LoadedData& data, const TrainOptions& options,
                   const CheckpointFiles& files, dist::Communicator& ranks)
    : common_(common),
      files_(files),
      ranks_(ranks),
      threads_(options.threads),
      trainer_(start(data, options, files, ranks)) {}

bool Training::run(const std::function<void()>& epoch_done) {
    Progress progress(progress_style(common_), trainer_.epochs_done(), trainer_.sample());
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
