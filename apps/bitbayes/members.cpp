#include "members.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <mutex>
#include <optional>
#include <utility>

#include "base/atomic_file.hpp"
#include "bitbayes/model.hpp"
#include "bitbayes/types/error.hpp"
#include "class_report.hpp"
#include "cuda/card.hpp"
#include "learn/live_model.hpp"
#include "model/model_file.hpp"
#include "options/options.hpp"
#include "terminal/ranks.hpp"
#include "terminal/report.hpp"
#include "terminal/signals.hpp"
#include "terminal/training.hpp"
#include "terminal/workers.hpp"
#include "training/memory.hpp"

namespace bitbayes::cli {

namespace {

/// What is left of a member's run: the bytes of its model, and its figures as JSON text.
struct MemberRun {
    std::string model, report;
};

std::string member_file(const std::string& file, std::uint64_t member) {
    return fmt::format("{}.{}", file, member);
}

/// The figures of the last epoch, the history, and how long it took.
Json report_of(const Training& training) {
    const Trainer& trainer = training.trainer();
    const auto& history = trainer.history();
    Json report{{"seed", trainer.options().seed}};
    report.update(
        epoch_json({trainer.epochs_done(), trainer.live().learner().samples_seen(),
                    trainer.seconds(), trainer.error_progressive(), trainer.final_test()}));
    report["seconds_auto"] = training.seconds_auto();
    report["seconds_polish"] = trainer.seconds_polish();
    report["history"] = Json::array();
    for (const EpochReport& epoch : history) report["history"].push_back(epoch_json(epoch));
    return report;
}

/// The members of this rank: one run after the other, or side by side on a card.
class MemberRuns {
  public:
    MemberRuns(const TrainArguments& arguments, const LoadedData& data, const TrainOptions& asked,
               bool replace_checkpoints)
        : arguments_(arguments),
          common_(arguments.common),
          data_(data),
          asked_(asked),
          replace_(replace_checkpoints) {
        if (on_card()) common_.progress = "none";
        if (arguments.resume.empty()) return;
        for (const auto& file : checkpoint_files(arguments.resume, arguments.members)) {
            if (std::filesystem::exists(file)) return;
        }
        throw Error(ErrorCode::kIo, fmt::format("{}: no member has a checkpoint there",
                                                member_file(arguments.resume, 0)));
    }

    /// Runs of other ranks stay empty.
    std::vector<MemberRun> run(const Announcement& announce,
                               const std::function<void(const Training&)>& started) {
        std::vector<MemberRun> runs(arguments_.members);
        ranks().barrier();  // every rank has checked its outputs before any is written
        std::optional<Training> training;
        const CheckpointFiles first = files_of(next_);
        if (ranks().first()) {
            training.emplace(common_, data_, options_of(next_), first, dist::alone(), announce);
        }
        share_evidence(training ? &training->trainer() : nullptr);
        if (next_ >= runs.size()) return runs;
        if (!training) training.emplace(common_, data_, options_of(next_), first);
        run_workers(room_beside(training->trainer()), [&] {
            const InterruptFlag interrupt;
            for (;;) {
                std::unique_lock lock(turn_);
                const std::size_t m = next_;
                if (m >= runs.size()) return;
                if (interrupt.raised()) throw interrupted(m);
                next_ += ranks().size();
                const CheckpointFiles files = files_of(m);
                std::optional<Training> own = std::exchange(training, std::nullopt);
                if (!own) own.emplace(common_, data_, options_of(m), files);
                if (m == ranks().rank()) started(*own);
                lock.unlock();
                runs[m] = learned(*own, m);
            }
        });
        return runs;
    }

  private:
    bool on_card() const { return cuda::card_number(asked_.backend).has_value(); }

    /// How many members can learn at a time, this one among them. On the CPU it has all cores for itself.
    std::size_t room_beside(const Trainer& one) const {
        if (!on_card()) return 1;
        const auto held = one.live().learner().hold_card();
        const std::uint64_t free = held.card == nullptr ? 0 : held.card->limits().memory_bytes;
        return training::runs_together(data_.train, one.live().description().architecture,
                                       one.options(), free, cuda::TreeLessons::kMost);
    }

    TrainOptions options_of(std::uint64_t member) const {
        TrainOptions options = asked_;
        options.seed += member;
        return options;
    }

    CheckpointFiles files_of(std::uint64_t member) const {
        CheckpointFiles files{"", "", arguments_.every, replace_};
        if (!arguments_.checkpoint.empty()) {
            files.save = member_file(arguments_.checkpoint, member);
        }
        if (arguments_.resume.empty()) return files;
        const std::string saved = member_file(arguments_.resume, member);
        if (std::filesystem::exists(saved)) files.resume = saved;
        return files;
    }

    /// `chooser` is the first member's trainer, on rank 0.
    void share_evidence(const Trainer* chooser) {
        if (!asked_.evidence.automatic) return;
        std::array<double, 2> range{};
        if (chooser != nullptr) {
            range = {chooser->options().evidence.first, chooser->options().evidence.last};
        }
        ranks().broadcast(std::as_writable_bytes(std::span(range)));
        asked_.evidence = Evidence(range[0], range[1]);
    }

    MemberRun learned(Training& training, std::uint64_t member) {
        if (!common_.json) {
            note(common_, fmt::format("member {} of {}, seed {}", member + 1, arguments_.members,
                                      options_of(member).seed));
        }
        learn(training, member);
        return {model::model_bytes(training.trainer().live().snapshot()),
                to_line(report_of(training))};
    }

    bool more_to_do() {
        const std::lock_guard lock(turn_);
        return next_ < arguments_.members;
    }

    void learn(Training& training, std::uint64_t member) {
        bool stop = false;
        try {
            stop = training.run() && more_to_do();
        } catch (const Error& error) {
            if (error.code() != ErrorCode::kInterrupted) throw;
            stop = true;
        }
        if (stop) throw interrupted(member);
    }

    Error interrupted(std::uint64_t member) const {
        return {ErrorCode::kInterrupted,
                fmt::format("interrupted in member {} of {}", member + 1, arguments_.members),
                arguments_.checkpoint.empty()
                    ? std::string("with --checkpoint FILE a run can go on later")
                    : "go on with --resume " + arguments_.checkpoint};
    }

    const TrainArguments& arguments_;
    Common common_;
    const LoadedData& data_;
    TrainOptions asked_;
    const bool replace_;
    std::mutex turn_;
    std::size_t next_ = ranks().rank();  // nobody has begun it
};

void collect_on_first(std::vector<MemberRun>& runs) {
    auto& all = ranks();
    if (!all.several()) return;
    using Sizes = std::array<std::uint64_t, 2>;
    const std::vector<std::size_t> parts(all.size(), sizeof(Sizes));
    for (std::size_t m = 0; m < runs.size(); ++m) {
        const std::size_t owner = m % all.size();
        std::vector<Sizes> sizes(all.size());
        sizes[all.rank()] = {runs[m].model.size(), runs[m].report.size()};
        all.gather(std::as_writable_bytes(std::span(sizes)), parts);
        if (all.first()) {
            runs[m].model.resize(sizes[owner][0]);
            runs[m].report.resize(sizes[owner][1]);
        }
        for (std::string* text : {&runs[m].model, &runs[m].report}) {
            all.collect(owner, std::as_writable_bytes(std::span(text->data(), text->size())));
        }
    }
}

Model model_of(std::vector<MemberRun>& runs) {
    std::vector<learn::ModelState> members;
    for (MemberRun& run : runs) {
        members.push_back(model::parse_model(run.model, "a member"));
        run.model = {};
    }
    return Model(std::move(members));
}

void write_metrics(const TrainArguments& arguments, const std::vector<Json>& reports) {
    if (arguments.metrics.empty()) return;
    std::string lines;
    for (std::size_t m = 0; m < reports.size(); ++m) {
        for (const Json& epoch : reports[m]["history"]) {
            Json line{{"member", m}};
            line.update(epoch);
            lines += to_line(line);
        }
    }
    write_atomically(arguments.metrics, lines,
                     arguments.common.force ? Existing::kReplace : Existing::kKeep);
}

double sum_of(const std::vector<Json>& reports, const char* key) {
    double sum = 0;
    for (const Json& report : reports) sum += report[key].get<double>();
    return sum;
}

std::string members_table(const std::vector<Json>& reports) {
    constexpr const char* kRow = "{:<7}{:>12}{:>12}{:>13}{:>10}\n";
    std::string table =
        "\n" + fmt::format(kRow, "member", "seed", "error, MAP", "error, mean", "NLL");
    for (std::size_t m = 0; m < reports.size(); ++m) {
        const auto figure = [&](const char* key) {
            return reports[m][key].is_null() ? std::nan("") : reports[m][key].get<double>();
        };
        table += fmt::format(kRow, m + 1, reports[m]["seed"].get<std::uint64_t>(),
                             percent(figure("error_map")), percent(figure("error_mean")),
                             fmt::format("{:.4f}", figure("nll")));
    }
    return table;
}

Outcome outcome_of(const TrainArguments& arguments, const LoadedData& data,
                   const TrainOptions& decided, const Model& model,
                   const std::vector<Json>& reports) {
    RunFigures figures{.network = model.live(),
                       .members = model.members(),
                       .rows = data.train.rows,
                       .threads = threads_used(decided.threads),
                       .seconds = sum_of(reports, "seconds"),
                       .seconds_auto = sum_of(reports, "seconds_auto"),
                       .seconds_polish = sum_of(reports, "seconds_polish"),
                       .error_progressive = sum_of(reports, "error_progressive") /
                                            static_cast<double>(reports.size())};
    if (data.has_test()) figures.evaluation = model.evaluate(data.test, decided.threads);
    Outcome outcome{run_json(figures), run_table(figures)};
    if (decided.evidence.first != decided.evidence.last) {
        outcome.object["evidence"] = options::text(decided, options::find("evidence"));
    }
    outcome.object["batch"] = decided.batch.value_or(1);
    outcome.object["epochs"] = *decided.epochs;
    outcome.object["polish"] = decided.polish;
    outcome.object["ranks"] = ranks().size();
    outcome.object["seconds_auto"] = figures.seconds_auto;
    outcome.object["seconds_polish"] = figures.seconds_polish;
    outcome.object["model"] = arguments.model.empty() ? Json() : Json(arguments.model);
    outcome.object["history"] = Json::array();
    outcome.object["member_runs"] = reports;
    outcome.table += table_row("model", arguments.model.empty() ? "-" : arguments.model);
    if (!figures.evaluation) return outcome;
    outcome.table = evaluation_table(*figures.evaluation) + outcome.table + members_table(reports) +
                    confusion_table(figures.evaluation->confusion, model.class_names());
    return outcome;
}

}  // namespace

std::vector<std::string> checkpoint_files(const std::string& file, std::uint64_t members) {
    if (file.empty()) return {};
    if (members == 1) return {file};
    std::vector<std::string> files;
    for (std::uint64_t m = 0; m < members; ++m) files.push_back(member_file(file, m));
    return files;
}

Outcome train_members(const TrainArguments& arguments, const LoadedData& data,
                      const TrainOptions& asked, bool replace_checkpoints,
                      const Announcement& announce,
                      const std::function<void(const Training&)>& started) {
    MemberRuns members(arguments, data, asked, replace_checkpoints);
    TrainOptions decided;
    auto runs = members.run(announce, [&](const Training& first) {
        decided = first.trainer().options();
        started(first);
    });
    collect_on_first(runs);
    if (!ranks().first()) return {};
    const Model model = model_of(runs);
    if (!arguments.model.empty()) model.save(arguments.model, arguments.common.force);
    std::vector<Json> reports;
    for (const MemberRun& run : runs) reports.push_back(Json::parse(run.report));
    write_metrics(arguments, reports);
    return outcome_of(arguments, data, decided, model, reports);
}

}  // namespace bitbayes::cli
