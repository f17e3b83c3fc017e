// A barrier for threads that meet every few microseconds: it spins for a short while, then sleeps.
// With more threads than usable cores it sleeps at once.
#pragma once

#include <atomic>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "base/thread_team.hpp"

namespace bitbayes {

class SpinBarrier {
  public:
    explicit SpinBarrier(unsigned parties)
        : parties_(parties), spins_(parties <= ThreadTeam::usable_cores() ? kSpins : 0) {}

    /// True when all have arrived, false once any thread has called leave().
    bool wait() {
        const unsigned phase = phase_.load(std::memory_order_acquire);
        if (phase & kLeft) return false;
        if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == parties_) {
            arrived_.store(0, std::memory_order_relaxed);
            const unsigned before = phase_.fetch_add(kNext, std::memory_order_release);
            phase_.notify_all();
            return (before & kLeft) == 0;
        }
        for (int spin = 0; spin < spins_; ++spin) {
            const unsigned now = phase_.load(std::memory_order_acquire);
            if (now != phase) return (now & kLeft) == 0;
            pause();
        }
        phase_.wait(phase, std::memory_order_acquire);
        return (phase_.load(std::memory_order_acquire) & kLeft) == 0;
    }

    /// From now on no thread waits: wait() returns false.
    void leave() {
        phase_.fetch_or(kLeft, std::memory_order_release);
        phase_.notify_all();
    }

  private:
    static constexpr int kSpins = 2000;              // some tens of microseconds
    static constexpr unsigned kLeft = 1, kNext = 2;  // in phase_, which wraps around

    static void pause() {
#if defined(__x86_64__)
        _mm_pause();
#endif
    }

    const unsigned parties_;
    const int spins_;
    alignas(64) std::atomic<unsigned> arrived_{0};
    alignas(64) std::atomic<unsigned> phase_{0};
};

}  // namespace bitbayes
