// Verdicts: what the paper says, what was found, and whether it holds.
#pragma once

#include <string>
#include <vector>

#include "terminal/output.hpp"

namespace bitbayes::cli::reproduce {

inline constexpr const char* kHolds = "holds";
inline constexpr const char* kHoldsBetter = "holds better";
inline constexpr const char* kDoesNotHold = "does not hold";
inline constexpr const char* kNotJudged = "not judged";  // in a quick run

inline const char* whether(bool condition) { return condition ? kHolds : kDoesNotHold; }

struct Verdict {
    const char* experiment;
    std::string claim, paper, here, verdict, why;
};

// Each takes all of results.json.
std::vector<Verdict> teacher_student_verdicts(const Json& results);
std::vector<Verdict> mnist_verdicts(const Json& results);
std::vector<Verdict> single_layer_verdicts(const Json& results);
std::vector<Verdict> dense_verdicts(const Json& results);
std::vector<Verdict> claim_verdicts(const Json& results);

}  // namespace bitbayes::cli::reproduce
