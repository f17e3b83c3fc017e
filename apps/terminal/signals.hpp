// SIGINT, SIGTERM and SIGHUP. From the start of the program they end it with one line and exit code
// 130; while an InterruptFlag lives they only raise it, and a second SIGINT or SIGTERM kills at
// once. A SIGHUP that was ignored when the program started, as under nohup, stays ignored.
#pragma once

#include <array>
#include <csignal>

namespace bitbayes::cli {

/// SIGUSR1: mpirun forwards it to the ranks, while it leaves them a second only after SIGTERM.
inline constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP, SIGUSR1};

void exit_on_interrupt();
/// From now on the line of a program that ends so has kGoesOn as its hint.
void say_that_it_goes_on();
inline constexpr const char* kGoesOn = "the same command goes on from here";

/// Flags that live at the same time, in whatever threads, are one flag.
class InterruptFlag {
  public:
    /// ends_input: the signal also ends standard input after what has arrived, so that a reader
    /// waiting for more returns.
    explicit InterruptFlag(bool ends_input = false);
    ~InterruptFlag();
    InterruptFlag(const InterruptFlag&) = delete;
    InterruptFlag& operator=(const InterruptFlag&) = delete;

    bool raised() const;
    /// Whether the last flag was raised, also after its end.
    static bool was_raised();
    /// For a thread that fails, to stop the others.
    static void raise();
};

}  // namespace bitbayes::cli
