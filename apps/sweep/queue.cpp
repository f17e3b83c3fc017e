#include "sweep/queue.hpp"

#include <algorithm>
#include <chrono>

#include "base/memory.hpp"
#include "bitbayes/types/error.hpp"
#include "cuda/card.hpp"
#include "dist/communicator.hpp"

namespace bitbayes::cli::sweep {

namespace {

constexpr std::chrono::milliseconds kLookAgain{200};  // for what other processes did

}  // namespace

Queue::Queue(const std::vector<Run>& runs, const RunFolder& folder, unsigned threads,
             std::optional<Share> share)
    : folder_(folder), all_(runs.size()), free_threads_(threads), memory_{memory_budget(0)} {
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

Queue::Memory& Queue::card_of(const Run& run) {
    const auto [found, is_new] = cards_.try_emplace(run.options.backend);
    if (!is_new) return found->second;
    try {
        found->second.free = cuda::open_card(run.options.backend, dist::alone().rank_on_machine())
                                 ->limits()
                                 .memory_bytes;
    } catch (const Error&) {  // the run will say why
        found->second.free = 0;
    }
    return found->second;
}

bool Queue::fits(const Run& run) {
    return memory_.fits(run.memory) && (run.card_memory == 0 || card_of(run).fits(run.card_memory));
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
        memory_.used += run.memory;
        if (run.card_memory > 0) card_of(run).used += run.card_memory;
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
        memory_.used -= job.run->memory;
        if (job.run->card_memory > 0) card_of(*job.run).used -= job.run->card_memory;
        std::erase_if(waiting_, [&](const Entry& each) { return each.run == job.run; });
    }
    changed_.notify_all();
}

std::size_t Queue::done() {
    const std::lock_guard lock(mutex_);
    return all_ - waiting_.size();
}

}  // namespace bitbayes::cli::sweep
