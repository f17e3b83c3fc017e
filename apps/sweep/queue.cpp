#include "sweep/queue.hpp"

#include <algorithm>
#include <chrono>

#include "base/memory.hpp"

namespace bitbayes::cli::sweep {

namespace {

constexpr std::chrono::milliseconds kLookAgain{200};  // for what other processes did

}  // namespace

Queue::Queue(const std::vector<Run>& runs, const RunFolder& folder, unsigned threads,
             std::optional<Share> share)
    : folder_(folder), all_(runs.size()), memory_(memory_budget(0)), free_threads_(threads) {
    for (const Run& run : runs) waiting_.push_back({&run});
    std::stable_sort(waiting_.begin(), waiting_.end(),
                     [](const Entry& a, const Entry& b) { return a.run->cost > b.run->cost; });
    if (!share) return;
    std::vector<Entry> mine;
    for (std::size_t k = share->rank; k < waiting_.size(); k += share->size) {
        mine.push_back(waiting_[k]);
    }
    waiting_ = std::move(mine);
    all_ = waiting_.size();
}

bool Queue::fits(const Run& run) const {
    return used_memory_ == 0 || used_memory_ + run.memory <= memory_;
}

std::optional<Queue::Job> Queue::take() {
    std::erase_if(waiting_,
                  [&](const Entry& each) { return !each.here && folder_.has(each.run->name); });
    const auto left = static_cast<unsigned>(std::count_if(
        waiting_.begin(), waiting_.end(), [](const Entry& each) { return !each.here; }));
    if (free_threads_ == 0) return std::nullopt;
    for (Entry& each : waiting_) {
        if (each.here || !fits(*each.run)) continue;
        auto claim = folder_.claim(each.run->name);
        if (!claim) continue;
        if (folder_.has(each.run->name)) continue;  // done since we looked
        each.here = true;
        const unsigned threads = std::max(1u, free_threads_ / left);
        free_threads_ -= threads;
        used_memory_ += each.run->memory;
        return Job{each.run, threads, std::move(*claim)};
    }
    return std::nullopt;
}

std::optional<Queue::Job> Queue::next(const std::function<bool()>& go_on) {
    std::unique_lock lock(mutex_);
    while (go_on()) {
        if (auto job = take()) return job;
        if (waiting_.empty()) break;
        changed_.wait_for(lock, kLookAgain);
    }
    return std::nullopt;
}

void Queue::end(const Job& job) {
    {
        const std::lock_guard lock(mutex_);
        free_threads_ += job.threads;
        used_memory_ -= job.run->memory;
        std::erase_if(waiting_, [&](const Entry& each) { return each.run == job.run; });
    }
    changed_.notify_all();
}

std::size_t Queue::done() {
    const std::lock_guard lock(mutex_);
    return all_ - waiting_.size();
}

}  // namespace bitbayes::cli::sweep
