#include "terminal/progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "terminal/output.hpp"

namespace bitbayes::cli {

namespace {

constexpr auto kBarInterval = std::chrono::milliseconds(100);

/// 1234567 -> "1.2M"
std::string short_number(double value) {
    constexpr const char* kSuffix[] = {"", "k", "M", "G", "T"};
    std::size_t step = 0;
    for (; value >= 1000 && step < 4; ++step) value /= 1000;
    return fmt::format("{:.{}f}{}", value, step > 0 && value < 100 ? 1 : 0, kSuffix[step]);
}

std::string clock_time(double seconds) {
    if (!std::isfinite(seconds)) return "?";
    const auto total = static_cast<std::uint64_t>(seconds + 0.5);
    if (total < 3600) return fmt::format("{}:{:02}", total / 60, total % 60);
    return fmt::format("{}:{:02}:{:02}", total / 3600, total / 60 % 60, total % 60);
}

std::size_t terminal_columns() {
    winsize size{};
    const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    return known ? size.ws_col : 80;
}

std::string bare_percent(double fraction) { return fmt::format("{:.2f}", 100 * fraction); }

}  // namespace

ProgressStyle progress_style(const Common& common) {
    if (common.quiet || common.progress == "none") return ProgressStyle::kNone;
    if (common.progress == "rows") return ProgressStyle::kRows;
    const bool bar = common.progress == "bar" || ::isatty(STDERR_FILENO) == 1;
    return bar ? ProgressStyle::kBar : ProgressStyle::kRows;
}

Progress::Progress(ProgressStyle style, bool tested, std::size_t epochs_done, std::size_t sample)
    : style_(style), tested_(tested) {
    now_.epoch = epochs_done + 1;
    now_.sample = sample;
}

Progress::~Progress() { clear_bar(); }

void Progress::step(const TrainProgress& now) {
    collect(now);
    if (style_ == ProgressStyle::kBar) return draw_bar();
    const bool epoch_row_follows = now.sample == now.samples_per_epoch;
    if (total() >= next_row_ && !epoch_row_follows) row(nullptr);
    while (next_row_ <= total()) next_row_ *= 2;
}

void Progress::collect(const TrainProgress& now) {
    const std::size_t before = now.epoch == now_.epoch ? now_.sample : 0;
    const std::size_t learned = now.sample - before;
    samples_ += learned;
    recent_samples_ += static_cast<double>(learned);
    recent_errors_ += now.error_recent * static_cast<double>(learned);
    now_ = now;
}

void Progress::epoch_done(const Evaluation* test) {
    if (recent_samples_ > 0 || test != nullptr) row(test);
}

std::uint64_t Progress::total() const {
    return static_cast<std::uint64_t>(now_.epoch - 1) * now_.samples_per_epoch + now_.sample;
}

double Progress::samples_per_second() const {
    return now_.seconds > 0 ? static_cast<double>(samples_) / now_.seconds : 0;
}

void Progress::row(const Evaluation* test) {
    if (style_ == ProgressStyle::kNone) return;
    clear_bar();
    constexpr const char* kRow = "{:>11} {:>6} {:>9} {:>9} {:>10}{}\n";
    const auto test_cells = [&](const std::string& map, const std::string& mean) {
        return tested_ ? fmt::format(" {:>9} {:>9}", map, mean) : "";
    };
    if (!header_shown_) {
        write_talk(fmt::format(kRow, "", "", "error %", "error %", "samples",
                               test_cells("test MAP", "test mean")));
        write_talk(fmt::format(kRow, "samples", "epoch", "in epoch", "since row", "per s",
                               test_cells("error %", "error %")));
        header_shown_ = true;
    }
    const double recent = recent_samples_ > 0 ? recent_errors_ / recent_samples_ : 0;
    write_talk(fmt::format(kRow, total(), now_.epoch, bare_percent(now_.error_progressive),
                           bare_percent(recent), short_number(samples_per_second()),
                           test_cells(test ? bare_percent(test->error_map) : "",
                                      test ? bare_percent(test->error_mean) : "")));
    recent_errors_ = recent_samples_ = 0;
}

void Progress::draw_bar() {
    const auto time = std::chrono::steady_clock::now();
    if (bar_shown_ && time - last_bar_ < kBarInterval) return;
    last_bar_ = time;
    bar_shown_ = true;
    const double rate = samples_per_second();
    std::string text = fmt::format("epoch {}", now_.epoch);
    if (now_.samples_per_epoch > 0) {
        constexpr std::size_t kWidth = 8;
        const auto per_epoch = static_cast<double>(now_.samples_per_epoch);
        const double done =
            static_cast<double>(now_.epoch - 1) + static_cast<double>(now_.sample) / per_epoch;
        const auto all = static_cast<double>(now_.epochs);
        const auto filled = std::min(kWidth, static_cast<std::size_t>(kWidth * done / all));
        text += fmt::format("/{} [{:-<{}}] {:3.0f} % ETA {}", now_.epochs, std::string(filled, '#'),
                            kWidth, 100 * done / all, clock_time((all - done) * per_epoch / rate));
    } else {
        text += fmt::format(" {} samples", now_.sample);
    }
    const std::size_t room = terminal_columns() - 1;
    bool fits = true;
    const auto add = [&](const std::string& part) {  // the first that does not fit is the last one
        fits = fits && text.size() + part.size() <= room;
        if (fits) text += part;
    };
    add(fmt::format(" err {}", percent(now_.error_progressive)));
    add(fmt::format(" {} samples/s", short_number(rate)));
    if (now_.weight_updates > 0 && now_.seconds > 0) {
        const auto updates = static_cast<double>(now_.weight_updates);
        add(fmt::format(" {} weights/s", short_number(updates / now_.seconds)));
    }
    write_talk(fmt::format("\r{}\x1b[K", text.substr(0, room)));
}

void Progress::choosing(std::size_t trial) {
    if (style_ != ProgressStyle::kBar) return;
    bar_shown_ = true;
    write_talk(fmt::format("\rchoosing the evidence, trial {}\x1b[K", trial));
}

void Progress::polishing(std::uint64_t round) {
    if (style_ != ProgressStyle::kBar) return;
    bar_shown_ = true;
    write_talk(fmt::format("\rpolishing the clipped network, round {}\x1b[K", round));
}

void Progress::clear_bar() {
    if (bar_shown_) write_talk("\r\x1b[K");
    bar_shown_ = false;
}

}  // namespace bitbayes::cli
