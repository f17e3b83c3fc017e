// results.json: everything that a reproduction found, and its verdicts on the paper. The report is
// made from it alone.
#pragma once

#include "reproduce/plan.hpp"
#include "terminal/output.hpp"

namespace bitbayes::cli::reproduce {

/// Without verdicts; null on ranks that only did a share of the runs.
Json run_experiments(const Plan& plan);

/// One per claim: {"experiment", "claim", "paper", "here", "verdict", "why"}; the verdict is "holds",
/// "holds better", "does not hold" or "not judged".
Json verdicts(const Json& results);

}  // namespace bitbayes::cli::reproduce
