#include "bench/slices.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>

namespace bitbayes::cli::bench {

double seconds_now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

void run_slice(Timed& timed, double slice_seconds) {
    constexpr double kWorkPerLook = 1 << 18;  // makes the cost of reading the clock negligible
    // From here on an untimed call costs more than cold caches.
    constexpr double kLargeWork = 1 << 20;
    const auto calls = static_cast<std::size_t>(std::max(1.0, kWorkPerLook / timed.work));
    timed.restore();
    if (timed.work < kLargeWork) timed.once();
    std::size_t done = 0;
    const double start = seconds_now();
    double elapsed = 0;
    while (elapsed < slice_seconds) {
        for (std::size_t k = 0; k < calls; ++k) timed.once();
        done += calls;
        elapsed = seconds_now() - start;
    }
    const double ns = 1e9 * elapsed / (static_cast<double>(done) * timed.work);
    timed.best_ns = std::min(timed.best_ns, ns);
}

}  // namespace bitbayes::cli::bench
