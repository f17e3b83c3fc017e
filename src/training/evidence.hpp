// Evidence that changes from epoch to epoch.
#pragma once

#include <cstdint>

#include "bitbayes/types/options.hpp"

namespace bitbayes::training {

/// A (B / A)^(k / (E - 1)) in epoch k, from 0, of E, where A is `first` and B is `last`; A if E = 1.
double evidence_of_epoch(const Evidence& evidence, std::uint64_t k, std::uint64_t E);

}  // namespace bitbayes::training
