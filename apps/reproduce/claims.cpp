#include "reproduce/claims.hpp"

#include <fmt/format.h>

#include <functional>
#include <string_view>

namespace bitbayes::cli::reproduce {

Json claims(const Plan& plan, const RunStore& store, const LoadedData& mnist) {
    struct Claim {
        std::string_view name;
        const char* title;
        std::function<Json()> work;
    };
    constexpr std::string_view kTimed = "cost";  // measured while no other rank is at work
    const Claim all[] = {
        {"amplitude", "amplitude of the input", [&] { return amplitude(plan, mnist); }},
        {"learning_rate", "learning rates", [&] { return learning_rate(plan); }},
        {"certainty", "MAP and mean output", [&] { return certainty(plan); }},
        {"increments", "increments on consistent data", [&] { return increments(plan); }},
        {"erratum", "the printed asymptotic form of G", [&] { return erratum(plan); }},
        {kTimed, "cost against the number of weights", [] { return cost(); }}};
    const Json settings{{"seed", plan.seed}, {"quick", plan.quick}};
    Json results = Json::object();
    for (const Claim& claim : all) {
        if (store.sharing() && claim.name == kTimed) continue;
        results[std::string(claim.name)] =
            store.run(fmt::format("claim-{}", claim.name), settings, [&] {
                note(plan.common, fmt::format("claim: {}", claim.title));
                return claim.work();
            });
    }
    return results;
}

}  // namespace bitbayes::cli::reproduce
