#include "terminal/signals.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <string_view>

#include "bitbayes/types/error.hpp"

namespace bitbayes::cli {

namespace {

constexpr int kInterruptedStatus = static_cast<int>(ErrorCode::kInterrupted);

volatile std::sig_atomic_t interrupted = 0;

volatile std::sig_atomic_t no_more_input = -1;  // /dev/null, to stand in for standard input

void raise_flag(int) {
    interrupted = 1;
    if (no_more_input >= 0) ::dup2(no_more_input, STDIN_FILENO);
}

void leave(int) {
    constexpr std::string_view kLine = "bitbayes: error: interrupted\n";
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, kLine.data(), kLine.size());
    ::_exit(kInterruptedStatus);
}

void handle(int signal, void (*handler)(int), struct sigaction* old) {
    struct sigaction action = {};
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);
    ::sigaction(signal, &action, old);
}

}  // namespace

void exit_on_interrupt() {
    handle(SIGINT, leave, nullptr);
    handle(SIGTERM, leave, nullptr);
}

InterruptFlag::InterruptFlag(bool ends_input) {
    interrupted = 0;
    if (ends_input) no_more_input = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    handle(SIGINT, raise_flag, &old_int_);
    handle(SIGTERM, raise_flag, &old_term_);
}

InterruptFlag::~InterruptFlag() {
    ::sigaction(SIGINT, &old_int_, nullptr);
    ::sigaction(SIGTERM, &old_term_, nullptr);
    if (no_more_input >= 0) ::close(no_more_input);
    no_more_input = -1;
}

bool InterruptFlag::raised() const { return interrupted != 0; }
bool InterruptFlag::was_raised() { return interrupted != 0; }

}  // namespace bitbayes::cli
