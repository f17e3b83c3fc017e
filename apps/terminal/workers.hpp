// Threads that work through the same list of runs.
#pragma once

#include <cstddef>
#include <functional>

namespace bitbayes::cli {

/// Calls work() in as many threads as can be started, at most `workers`, this one among them. If one throws, it raises the
/// InterruptFlag, so that the others stop; what it threw is thrown here when all have ended.
void run_workers(std::size_t workers, const std::function<void()>& work);

}  // namespace bitbayes::cli
