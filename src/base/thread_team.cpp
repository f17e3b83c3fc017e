#include "base/thread_team.hpp"

#include <sched.h>

#include <algorithm>
#include <climits>
#include <new>
#include <system_error>

namespace bitbayes {

std::atomic<unsigned> ThreadTeam::limit_{UINT_MAX};

unsigned ThreadTeam::usable_cores() {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
    return std::max(1u, std::thread::hardware_concurrency());
}

unsigned ThreadTeam::limit() { return limit_.load(); }

ThreadTeam::ThreadTeam(unsigned threads) : size_(threads == 0 ? usable_cores() : threads) {}

unsigned ThreadTeam::start() {
    const std::lock_guard alone(in_use_);
    start_workers();
    return size_;
}

void ThreadTeam::start_workers() {
    try {
        workers_.reserve(size_ - 1);
        while (workers_.size() + 1 < size_) {
            const auto index = static_cast<unsigned>(workers_.size() + 1);
            workers_.emplace_back([this, index] { worker(index); });
        }
        return;
    } catch (const std::system_error&) {
    } catch (const std::bad_alloc&) {
    }
    // What threads beyond the cores would hold, their stacks above all, may be missing elsewhere.
    const auto started = static_cast<unsigned>(workers_.size() + 1);
    keep(std::min(started, usable_cores()));
    limit_ = std::min(limit_.load(), size());
}

void ThreadTeam::keep(unsigned threads) {
    {
        const std::lock_guard lock(mutex_);
        size_ = threads;
    }
    start_.notify_all();
    while (!workers_.empty() && workers_.size() + 1 > threads) {
        workers_.back().join();
        workers_.pop_back();
    }
}

ThreadTeam::~ThreadTeam() { keep(0); }

void ThreadTeam::run(std::size_t count, const std::function<void(std::size_t)>& job,
                     unsigned max_threads) {
    std::unique_lock alone(in_use_, std::defer_lock);
    if (size_ == 1 || max_threads == 1 || count <= 1 || !alone.try_lock()) {
        for (std::size_t i = 0; i < count; ++i) job(i);
        return;
    }
    start_workers();
    {
        const std::lock_guard lock(mutex_);
        job_ = &job;
        count_ = count;
        max_threads_ = max_threads == 0 ? size() : max_threads;
        next_ = 0;
        busy_ = workers_.size();
        failure_ = nullptr;
        ++batch_;
    }
    start_.notify_all();
    take_jobs();
    std::unique_lock lock(mutex_);
    finished_.wait(lock, [this] { return busy_ == 0; });
    if (failure_) std::rethrow_exception(failure_);
}

void ThreadTeam::take_jobs() {
    try {
        for (std::size_t i = next_++; i < count_; i = next_++) (*job_)(i);
    } catch (...) {
        next_ = count_;
        const std::lock_guard lock(mutex_);
        failure_ = std::current_exception();
    }
}

void ThreadTeam::worker(unsigned index) {
    std::size_t seen = 0;
    for (;;) {
        {
            std::unique_lock lock(mutex_);
            start_.wait(lock, [&] { return index >= size_ || batch_ != seen; });
            if (index >= size_) return;
            seen = batch_;
        }
        if (index < max_threads_) take_jobs();
        {
            const std::lock_guard lock(mutex_);
            if (--busy_ == 0) finished_.notify_one();
        }
    }
}

}  // namespace bitbayes
