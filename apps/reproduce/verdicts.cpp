#include "reproduce/verdict.hpp"

#include "reproduce/results.hpp"

namespace bitbayes::cli::reproduce {

Json verdicts(const Json& results) {
    Json list = Json::array();
    const auto add = [&](const char* key, std::vector<Verdict> (*judge)(const Json&)) {
        if (!results.contains(key)) return;
        for (const Verdict& v : judge(results)) {
            list.push_back({{"experiment", v.experiment},
                            {"claim", v.claim},
                            {"paper", v.paper},
                            {"here", v.here},
                            {"verdict", v.verdict},
                            {"why", v.why}});
        }
    };
    add("teacher_student", teacher_student_verdicts);
    add("mnist", mnist_verdicts);
    add("single_layer", single_layer_verdicts);
    add("claims", claim_verdicts);
    add("dense", dense_verdicts);
    return list;
}

}  // namespace bitbayes::cli::reproduce
