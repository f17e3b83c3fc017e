#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "reproduce/findings.hpp"
#include "reproduce/verdict.hpp"

namespace bitbayes::cli::reproduce {

namespace {

constexpr const char* kName = "teacher-student";
/// From this M on no algorithm finds a network without error.
constexpr std::size_t kLarge = 21;

const Json& run_of(const Json& runs, std::size_t m) {
    for (const Json& run : runs) {
        if (run["settings"]["M"] == m) return run;
    }
    throw std::logic_error("no such size");
}

/// The test errors of one M.
const Json& test_of(const Json& runs, std::size_t m) { return run_of(runs, m)["results"]["test"]; }

/// Best of the trials of every large M, as "M = 21: 17.0 %, ...".
std::string best_by_size(const Json& runs, const char* key) {
    std::string text;
    for (const Json& run : runs) {
        if (run["settings"]["M"] < kLarge) continue;
        text +=
            fmt::format("{}M = {}: {}", text.empty() ? "" : ", ", run["settings"]["M"].get<int>(),
                        short_percent(run["results"]["test"][key]["best"]));
    }
    return text;
}

template <class Test>
bool every_large_size(const Json& runs, Test test) {
    return std::all_of(runs.begin(), runs.end(), [&](const Json& run) {
        return run["settings"]["M"] < kLarge || test(run["results"]["test"]);
    });
}

bool comparable(const Json& test) {
    const double real = test["backprop"]["best"], clipped = test["clipped"]["best"];
    const double middle = (real + clipped) / 2;
    return test["mfb"]["best"] < middle && test["pmfb"]["best"] < middle;
}

bool clipped_is_worst(const Json& test) {
    const double clipped = test["clipped"]["best"];
    return clipped > test["mfb"]["best"] && clipped > test["pmfb"]["best"] &&
           clipped > test["backprop"]["best"];
}

std::string solved(const Json& runs, std::size_t m, const char* key) {
    return fmt::format("{} of {}", test_of(runs, m)[key]["solved"].get<int>(),
                       run_of(runs, m)["settings"]["trials"].get<int>());
}

}  // namespace

std::vector<Verdict> teacher_student_verdicts(const Json& results) {
    const Json& runs = results["teacher_student"];
    const auto zero = [&](std::size_t m) { return test_of(runs, m)["mfb"]["best"] == 0.0; };
    const Json &seven = test_of(runs, 7), &nine = test_of(runs, 9);
    return {
        {kName, "MFB-BackProp finds a network without error for M = 3 and 5", "0 %, best of 10",
         fmt::format("M = 3: {} trials solved; M = 5: {}", solved(runs, 3, "mfb"),
                     solved(runs, 5, "mfb")),
         whether(zero(3) && zero(5)), "A solved trial answers all 10,000 test samples right."},
        {kName, "... and for M = 7", "0 %, best of 10",
         fmt::format("{} trials solved, best {}", solved(runs, 7, "mfb"),
                     short_percent(seven["mfb"]["best"])),
         results["quick"] ? kNotJudged : whether(zero(7)),
         fmt::format("Luck with the teacher and the prior: the median trial errs on {}. BackProp "
                     "solves {}.",
                     short_percent(seven["mfb"]["median"]), solved(runs, 7, "backprop"))},
        {kName, "MFB-BackProp, PMFB-BackProp and BackProp have a comparable test error, M >= 21",
         "comparable (a plot)",
         fmt::format("MFB {}; BackProp {}", best_by_size(runs, "mfb"),
                     best_by_size(runs, "backprop")),
         results["quick"] ? kNotJudged : whether(every_large_size(runs, comparable)),
         "Best of the trials: MFB and PMFB are nearer to BackProp than to Clipped BackProp at "
         "every M."},
        {kName, "... and for M = 9", "comparable (a plot)",
         fmt::format("MFB {}, BackProp {}, Clipped BackProp {}", short_percent(nine["mfb"]["best"]),
                     short_percent(nine["backprop"]["best"]),
                     short_percent(nine["clipped"]["best"])),
         results["quick"] ? kNotJudged : whether(comparable(nine)),
         fmt::format(
             "BackProp solves {} trials without error, MFB-BackProp {}: at this size it becomes "
             "sure of a wrong network.",
             solved(runs, 9, "backprop"), solved(runs, 9, "mfb"))},
        {kName, "Clipped BackProp is significantly worse", "worse (a plot)",
         best_by_size(runs, "clipped"), whether(every_large_size(runs, clipped_is_worst)),
         "Best of the trials, M >= 21: the worst of the four at every M."}};
}

}  // namespace bitbayes::cli::reproduce
