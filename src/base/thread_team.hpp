// A fixed team of threads that works through numbered jobs and meets at the end of each batch.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace bitbayes {

class ThreadTeam {
  public:
    /// threads = 0: one per usable core. The calling thread is one of the team; the others start
    /// with the first batch that needs them.
    explicit ThreadTeam(unsigned threads = 0);
    ~ThreadTeam();
    ThreadTeam(const ThreadTeam&) = delete;
    ThreadTeam& operator=(const ThreadTeam&) = delete;

    /// How many threads work, the calling one included: as many as were asked for, until some could
    /// not be started (too little memory, or a limit on processes).
    unsigned size() const { return size_; }

    /// Starts the threads that are missing, and returns size(): from now on it does not change.
    unsigned start();

    /// Calls job(0) .. job(count - 1), each once, in any order and on any thread, and returns when
    /// all are done. If jobs throw, one of the exceptions is thrown here, after all threads have
    /// stopped. May be called from several threads at once: the team works for one of them, the
    /// others do their jobs alone. At most `max_threads` threads take part; 0: all.
    void run(std::size_t count, const std::function<void(std::size_t)>& job,
             unsigned max_threads = 0);

    static unsigned usable_cores();

    /// The size of the smallest team of this process that could not start all its threads; UINT_MAX
    /// if there is none.
    static unsigned limit();

  private:
    void start_workers();
    void keep(unsigned threads);
    void worker(unsigned index);
    void take_jobs();

    static std::atomic<unsigned> limit_;

    std::atomic<unsigned> size_;  // workers of this index and above end
    std::mutex in_use_;
    std::vector<std::thread> workers_;
    std::mutex mutex_;
    std::condition_variable start_, finished_;
    const std::function<void(std::size_t)>* job_ = nullptr;
    std::size_t count_ = 0;
    unsigned max_threads_ = 0;
    std::atomic<std::size_t> next_{0};
    std::size_t batch_ = 0;
    std::size_t busy_ = 0;
    std::exception_ptr failure_;
};

}  // namespace bitbayes
