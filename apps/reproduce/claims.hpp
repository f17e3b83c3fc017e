// Claims that the paper makes in words, as experiments of about a minute.
#pragma once

#include "reproduce/run_store.hpp"

namespace bitbayes::cli::reproduce {

/// One stored run per claim, by name: amplitude, learning_rate, certainty, increments, erratum, cost.
Json claims(const Plan& plan, const RunStore& store, const LoadedData& mnist);

// The individual claims.
Json amplitude(const Plan& plan, const LoadedData& mnist);  // x and 100 x
Json learning_rate(const Plan& plan);                       // BackProp's scan beside MFB
Json certainty(const Plan& plan);                           // MAP and mean approach each other
Json increments(const Plan& plan);                          // a certain network on consistent data
Json erratum(const Plan& plan);                             // G as printed and as it must be
Json cost();                                                // time against the number of weights

}  // namespace bitbayes::cli::reproduce
