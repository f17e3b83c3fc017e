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

    unsigned size() const { return size_; }

    /// Calls job(0) .. job(count - 1), each once, in any order and on any thread, and returns when
    /// all are done. If jobs throw, one of the exceptions is thrown here, after all threads have
    /// stopped. May be called from several threads at once: the team works for one of them, the
    /// others do their jobs alone. At most `max_threads` threads take part; 0: all.
    void run(std::size_t count, const std::function<void(std::size_t)>& job,
             unsigned max_threads = 0);

    static unsigned usable_cores();

  private:
    void start_workers();
    void worker(unsigned index);
    void take_jobs();

    const unsigned size_;
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
    bool quit_ = false;
    std::exception_ptr failure_;
};

}  // namespace bitbayes
