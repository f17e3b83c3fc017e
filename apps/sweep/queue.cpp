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
    if (free_threads_ == 0) return std::nullopt;
    for (auto each = waiting_.begin(); each != waiting_.end();) {
        const Run& run = *each->run;
        if (!each->here && folder_.has(run.name)) {
            each = waiting_.erase(each);
            continue;
        }
        auto claim = each->here || !fits(run) ? std::nullopt : folder_.claim(run.name);
        if (!claim || folder_.has(run.name)) {  // not to be had, or done since we looked
            ++each;
            continue;
        }
        const auto here = std::count_if(waiting_.begin(), waiting_.end(),
                                        [](const Entry& other) { return other.here; });
        const auto left = waiting_.size() - static_cast<std::size_t>(here);
        const unsigned threads = std::max(1u, static_cast<unsigned>(free_threads_ / left));
        each->here = true;
        free_threads_ -= threads;
        used_memory_ += run.memory;
        return Job{&run, threads, std::move(*claim)};
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
