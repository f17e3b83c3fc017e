// A piece of work that is measured in slices of time; the best slice counts.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>

namespace bitbayes::cli {

struct BenchOptions {
    std::size_t slices = 15;
    double slice_seconds = 0.05;
};

namespace bench {

double seconds_now();

struct Timed {
    double work = 1;  // units of work, such as weights, in one call of `once`
    std::function<void()> restore;
    std::function<void()> once;
    double best_ns = std::numeric_limits<double>::infinity();  // per unit of work
};

/// Starts from the same state each time, with one untimed call to fill the caches unless a call is
/// long, and runs for one slice of time.
void run_slice(Timed& timed, double slice_seconds);

}  // namespace bench
}  // namespace bitbayes::cli
