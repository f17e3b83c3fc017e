// Progress on stderr: a bar on a terminal, else rows at 1, 2, 4, 8, ... samples; a row after each
// epoch in both.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "bitbayes/train.hpp"
#include "terminal/common.hpp"

namespace bitbayes::cli {

enum class ProgressStyle { kNone, kRows, kBar };

/// What --progress and -q ask for; auto is a bar if stderr is a terminal.
ProgressStyle progress_style(const Common& common);

class Progress {
  public:
    /// `tested`: rows show errors on test data. `epochs_done` and `sample`: where a resumed run
    /// continues.
    explicit Progress(ProgressStyle style, bool tested = false, std::size_t epochs_done = 0,
                      std::size_t sample = 0);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    /// samples_per_epoch = 0 in `now`: the number of samples is unknown.
    void step(const TrainProgress& now);
    /// Ends the epoch of the last step; `test` may be null.
    void epoch_done(const Evaluation* test);
    void choosing(std::size_t trial);  // from 1, before any sample
    void polishing(std::uint64_t round);

  private:
    void collect(const TrainProgress& now);
    void row(const Evaluation* test);
    void draw_bar();
    void clear_bar();
    std::uint64_t total() const;  // samples of all epochs, including those before a resume
    double samples_per_second() const;

    ProgressStyle style_;
    bool tested_;
    TrainProgress now_;
    std::uint64_t samples_ = 0;   // of this run
    std::uint64_t next_row_ = 1;  // in total()
    double recent_errors_ = 0, recent_samples_ = 0;
    bool header_shown_ = false, bar_shown_ = false;
    std::chrono::steady_clock::time_point last_bar_;
};

}  // namespace bitbayes::cli
