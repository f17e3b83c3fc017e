#include "terminal/workers.hpp"

#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "bitbayes/types/error.hpp"
#include "terminal/signals.hpp"

namespace bitbayes::cli {

namespace {

/// The first failure; one that interrupted others counts more than their interruptions.
class Failures {
  public:
    void add(std::exception_ptr failure, bool interruption) {
        const std::lock_guard lock(mutex_);
        if (first_ && (interruption || !first_is_interruption_)) return;
        first_ = std::move(failure);
        first_is_interruption_ = interruption;
    }
    void rethrow() const {
        if (first_) std::rethrow_exception(first_);
    }

  private:
    std::mutex mutex_;
    std::exception_ptr first_;
    bool first_is_interruption_ = false;
};

}  // namespace

void run_workers(std::size_t workers, const std::function<void()>& work) {
    Failures failures;
    const InterruptFlag interrupt;
    const auto worker = [&] {
        try {
            work();
        } catch (const Error& error) {
            failures.add(std::current_exception(), error.code() == ErrorCode::kInterrupted);
            InterruptFlag::raise();
        } catch (...) {
            failures.add(std::current_exception(), false);
            InterruptFlag::raise();
        }
    };
    std::vector<std::thread> others;
    try {
        while (others.size() + 1 < workers) others.emplace_back(worker);
    } catch (const std::system_error&) {
    }
    worker();
    for (auto& other : others) other.join();
    failures.rethrow();
}

}  // namespace bitbayes::cli
