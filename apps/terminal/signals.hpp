// SIGINT and SIGTERM. From the start of the program they end it with one line and exit code 130;
// while an InterruptFlag lives they only raise it, and a second SIGINT kills at once.
#pragma once

#include <csignal>

namespace bitbayes::cli {

void exit_on_interrupt();

class InterruptFlag {
  public:
    /// ends_input: the signal also ends standard input, so that a reader waiting for it returns.
    explicit InterruptFlag(bool ends_input = false);
    ~InterruptFlag();
    InterruptFlag(const InterruptFlag&) = delete;
    InterruptFlag& operator=(const InterruptFlag&) = delete;

    bool raised() const;
    /// Whether the last flag was raised, also after its end.
    static bool was_raised();

  private:
    struct sigaction old_int_, old_term_;
};

}  // namespace bitbayes::cli
