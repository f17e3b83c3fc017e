// Runs that wait to be done by this process, by others on the same folder, and by their threads. Nobody
// talks to anybody: a run belongs to whoever has its claim, and is done once its file is there.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "sweep/plan.hpp"
#include "terminal/run_folder.hpp"

namespace bitbayes::cli::sweep {

/// One process's part where claims do not work: every size-th run.
struct Share {
    std::size_t rank = 0, size = 1;
};

class Queue {
  public:
    struct Job {
        const Run* run;
        unsigned threads;
        Claim claim;
    };

    /// `threads` of this process. `share`: the part to do if claims do not work in the folder.
    Queue(const std::vector<Run>& runs, const RunFolder& folder, unsigned threads,
          std::optional<Share> share);

    /// Waits for a run that can be done; nullopt once all are done, by anybody, or `go_on` says no. The
    /// largest come first. Fewer runs than threads get several threads each.
    std::optional<Job> next(const std::function<bool()>& go_on);
    /// The run is done, or given up if its file is not there.
    void end(const Job& job);
    std::size_t done();
    std::size_t size() const { return all_; }

  private:
    struct Entry {
        const Run* run;
        bool here = false;  // this process is at it
    };

    /// Of a card, or of the host.
    struct Memory {
        std::uint64_t free = 0, used = 0;

        /// A run that is alone always does.
        bool fits(std::uint64_t bytes) const { return used == 0 || used + bytes <= free; }
    };

    std::optional<Job> take();
    bool fits(const Run& run);
    /// Looks at the card when the first run asks for it.
    Memory& card_of(const Run& run);

    const RunFolder& folder_;
    std::size_t all_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<Entry> waiting_;
    unsigned free_threads_;
    Memory memory_;
    std::map<std::string, Memory> cards_;  // by backend
};

}  // namespace bitbayes::cli::sweep
