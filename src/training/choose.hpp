// Options that are left to the data: the network and its epochs by the size of the table, evidence by
// short runs on a part of the training rows that answer the rest. Test rows are never looked at.
#pragma once

#include <functional>
#include <vector>

#include "bitbayes/types/options.hpp"
#include "bitbayes/types/reports.hpp"
#include "bitbayes/types/rows.hpp"
#include "dist/communicator.hpp"

namespace bitbayes::training {

struct Choice {
    TrainOptions options;  // with every choice made
    std::vector<EvidenceTrial>
        trials;  // empty: evidence was given, or there were too few rows to try
    double seconds = 0;
};

/// The trials cost at most half of the training that is chosen. Training with `options` of the result
/// gives the same bytes as training with the options asked for. `go_on` (may be empty) is asked between
/// blocks of the trials; false: the best so far is the choice.
Choice choose(const LabelledRows& training, const TrainOptions& asked,
              const std::function<bool()>& go_on = {}, dist::Communicator& ranks = dist::alone());

}  // namespace bitbayes::training
