#include "terminal/signals.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <string_view>

#include "bitbayes/types/error.hpp"
#include "terminal/ranks.hpp"

namespace bitbayes::cli {

namespace {

constexpr int kInterruptedStatus = static_cast<int>(ErrorCode::kInterrupted);

std::atomic<bool> interrupted = false;  // set by signals, and by threads
static_assert(std::atomic<bool>::is_always_lock_free);

std::atomic<bool> goes_on = false;

volatile std::sig_atomic_t no_more_input = -1;  // to stand in for standard input

std::mutex flags_mutex;
int flags = 0;                                         // that live
std::array<struct sigaction, kSignals.size()> before;  // the first of them

void raise_flag(int) {
    interrupted = true;
    if (no_more_input >= 0) ::dup2(no_more_input, STDIN_FILENO);
}

void leave(int) {
    const auto say = [](std::string_view text) {
        [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text.data(), text.size());
    };
    if (ranks().first()) {
        say("bitbayes: error: interrupted");
        if (goes_on) {
            say("; hint: ");
            say(kGoesOn);
        }
        say("\n");
    }
    ::_exit(kInterruptedStatus);
}

/// What is left of a pipe or terminal, without waiting for more; the end of anything else.
int open_rest_of_input() {
    struct stat info {};
    const bool pipe =
        ::fstat(STDIN_FILENO, &info) == 0 && (S_ISFIFO(info.st_mode) || S_ISCHR(info.st_mode));
    const int rest = pipe ? ::open("/proc/self/fd/0", O_RDONLY | O_NONBLOCK | O_CLOEXEC) : -1;
    return rest >= 0 ? rest : ::open("/dev/null", O_RDONLY | O_CLOEXEC);
}

/// A closing terminal may send SIGHUP more than once: only a second SIGINT or SIGTERM kills. Under
/// nohup SIGHUP stays ignored.
void handle(int signal, void (*handler)(int), struct sigaction* old) {
    struct sigaction now = {};
    ::sigaction(signal, nullptr, &now);
    if (old != nullptr) *old = now;
    if (signal == SIGHUP && now.sa_handler == SIG_IGN) return;
    struct sigaction action = {};
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART | (signal == SIGHUP ? 0 : static_cast<int>(SA_RESETHAND));
    ::sigaction(signal, &action, nullptr);
}

}  // namespace

void exit_on_interrupt() {
    for (const int signal : kSignals) handle(signal, leave, nullptr);
}

void say_that_it_goes_on() { goes_on = true; }

InterruptFlag::InterruptFlag(bool ends_input) {
    const std::lock_guard lock(flags_mutex);
    if (flags++ > 0) return;
    interrupted = false;
    if (ends_input) no_more_input = open_rest_of_input();
    for (std::size_t i = 0; i < kSignals.size(); ++i) handle(kSignals[i], raise_flag, &before[i]);
}

InterruptFlag::~InterruptFlag() {
    const std::lock_guard lock(flags_mutex);
    if (--flags > 0) return;
    for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &before[i], nullptr);
    if (no_more_input >= 0) ::close(no_more_input);
    no_more_input = -1;
}

bool InterruptFlag::raised() const { return interrupted; }
bool InterruptFlag::was_raised() { return interrupted; }
void InterruptFlag::raise() { interrupted = true; }

}  // namespace bitbayes::cli
