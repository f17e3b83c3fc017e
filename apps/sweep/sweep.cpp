#include "sweep/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <new>

#include "base/atomic_file.hpp"
#include "base/thread_team.hpp"
#include "bitbayes/types/error.hpp"
#include "cuda/card.hpp"
#include "dist/communicator.hpp"
#include "sweep/finish.hpp"
#include "sweep/queue.hpp"
#include "sweep/train_run.hpp"
#include "terminal/ranks.hpp"
#include "terminal/signals.hpp"
#include "terminal/workers.hpp"

namespace bitbayes::cli::sweep {

namespace {

namespace fs = std::filesystem;

constexpr const char* kSheet = "sweep.json";

std::string difference(const Json& there, const Json& here) {
    for (const auto& [key, value] : here.items()) {
        if (!there.contains(key) || there[key] != value) return key;
    }
    return "test";
}

/// Files of other programs; the sheet of a process that starts at the same time is none.
bool holds_others(const std::string& folder) {
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(folder, none)) {
        const std::string name = entry.path().filename().string();
        if (name != kSheet && !name.starts_with(fmt::format(".{}.", kSheet))) return true;
    }
    return false;
}

/// The folder is this sweep's: new, or of the same data, tested the same way.
void open_folder(const Request& request, const Json& identity) {
    const std::string sheet = request.folder + "/" + kSheet;
    std::error_code none;
    if (request.common.force) {
        for (const char* part : {"runs", kSheet, "results.json", "best.bb"}) {
            fs::remove_all(request.folder + "/" + part, none);
        }
    }
    const bool known = fs::exists(sheet);
    if (!known && !request.common.force && holds_others(request.folder)) {
        throw Error(ErrorCode::kIo, request.folder + " exists and holds no sweep",
                    "choose another folder, or use --force");
    }
    make_folder(request.folder);
    if (!known) write_atomically(sheet, identity.dump(1) + "\n");
    std::ifstream file(sheet);
    const Json there = Json::parse(file, nullptr, false);
    if (there == identity) return;
    throw Error(ErrorCode::kUsage,
                fmt::format("{} holds a sweep with other {}", request.folder,
                            difference(there, identity) == "data" ? "data" : "test rows"),
                "choose another folder, or --force to do all runs again");
}

/// What threads of this process need to work on the queue together.
struct Work {
    const Request& request;
    const Data& data;
    const RunFolder& folder;
    Queue& queue;
    const InterruptFlag& interrupt;

    bool go_on() const { return !interrupt.raised(); }
};

std::string figure_text(const Json& results) {
    if (results.contains("failed")) return "failed: " + results["failed"].get<std::string>();
    const auto share = [&](const char* figure) {
        return results[figure].is_null() ? "-" : percent(results[figure].get<double>());
    };
    return fmt::format("error {}, clipped {}", share("error_mean"), share("error_map"));
}

/// Whether runs to come would fail as well.
bool card_is_gone(const Run& run, const Error& failure) {
    if (failure.code() != ErrorCode::kUnavailable || !cuda::card_number(run.options.backend))
        return false;
    try {
        cuda::open_card(run.options.backend, dist::alone().rank_on_machine());
        return false;
    } catch (const Error&) {
        return true;
    }
}

/// Results, or why there are none; nullopt if it was stopped.
std::optional<Json> attempt(const Work& work, const Queue::Job& job) {
    if (!job.run->problem.empty()) return Json{{"failed", job.run->problem}};
    try {
        return test_run(work.data, *job.run, job.threads, [&] { return work.go_on(); });
    } catch (const std::bad_alloc&) {
        return Json{{"failed", "out of memory"}};
    } catch (const Error& error) {
        if (error.code() == ErrorCode::kIo || card_is_gone(*job.run, error)) throw;
        return Json{{"failed", plain(error.what())}};
    }
}

void do_job(Work& work, const Queue::Job& job) {
    const auto start = std::chrono::steady_clock::now();
    const auto results = attempt(work, job);
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
    if (results) work.folder.store(job.run->name, job.run->settings, passed.count(), *results);
    work.queue.end(job);
    if (!results) return;
    const std::string flags = flags_of(*job.run);
    note(work.request.common,
         fmt::format("{} of {}: {}: {} ({:.1f} s)", work.queue.done(), work.queue.size(),
                     flags.empty() ? "default options" : flags, figure_text(*results),
                     passed.count()));
}

/// All runs that are missing, by `threads` workers, as many as can be started.
void do_runs(Work& work, unsigned threads) {
    run_workers(threads, [&] {
        while (const auto job = work.queue.next([&] { return work.go_on(); })) do_job(work, *job);
    });
    if (!work.interrupt.raised()) return;
    throw Error(ErrorCode::kInterrupted, "interrupted",
                "finished runs are kept; the same command does the others");
}

void forget_failed(const RunFolder& folder, const std::vector<Run>& runs) {
    for (const Run& run : runs) {
        const auto stored = folder.find(run.name, run.settings);
        if (stored && (*stored)["results"].contains("failed")) folder.remove(run.name);
    }
}

}  // namespace

Outcome run_sweep(const Request& request) {
    dist::Communicator& all = ranks();
    const Config config = read_config(request.config);
    const Data data(config, request.common);
    const std::vector<Run> runs = plan_runs(config, data);
    if (all.first()) open_folder(request, data.identity());
    all.barrier();
    const RunFolder folder(request.folder + "/runs");
    if (all.first() && request.retry) forget_failed(folder, runs);
    all.barrier();
    const unsigned threads = request.threads == 0 ? ThreadTeam::usable_cores() : request.threads;
    std::optional<Share> share;
    if (!claims_work(folder.path())) share = Share{all.rank(), all.size()};
    const InterruptFlag interrupt;
    Queue queue(runs, folder, threads, share);
    Work work{request, data, folder, queue, interrupt};
    do_runs(work, threads);
    all.barrier();
    Outcome outcome{{}, "", 0, runs.size()};
    if (all.first()) {
        const Finish finish{request, config, data, runs, folder, threads};
        outcome = finish_sweep(finish, [&] { return work.go_on(); });
    }
    const bool any_failed = all.any(outcome.failed > 0);
    outcome.failed = std::max<std::size_t>(outcome.failed, any_failed ? 1 : 0);
    return outcome;
}

}  // namespace bitbayes::cli::sweep
