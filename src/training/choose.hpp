// Options that are left to the data: the network and its epochs by the size of the table, evidence by
// short runs on a part of the training rows that answer the rest. Test rows are never looked at.
#pragma once

#include <functional>
#include <vector>

#include "bitbayes/types/options.hpp"
#include "bitbayes/types/reports.hpp"
#include "bitbayes/types/rows.hpp"
#include "dist/communicator.hpp"
#include "learn/model_state.hpp"

namespace bitbayes::training {

struct Choice {
    TrainOptions options;  // with every choice made
    std::vector<EvidenceTrial>
        trials;  // empty: evidence was given, or there were too few rows to try
    double seconds = 0;
};

/// Called while trials run; each may be empty. None is called where nothing has to be tried.
struct ChoiceHooks {
    /// Between blocks of the trials; false: the best so far is the choice.
    std::function<bool()> go_on = {};
    /// Before the first trial, with the model before its first sample and every other choice made.
    std::function<void(const learn::ModelState&, const TrainOptions&)> started = {};
    std::function<void(std::size_t trial)> trial = {};  // before each one, from 1
};

/// The trials cost at most half of the training that is chosen. Training with `options` of the result
/// gives the same bytes as training with the options asked for.
Choice choose(const LabelledRows& training, const TrainOptions& asked,
              const ChoiceHooks& hooks = {}, dist::Communicator& ranks = dist::alone());

}  // namespace bitbayes::training
