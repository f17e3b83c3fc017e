// What each learning rule stores per layer, by name. Files, checkpoints, clipping and learners
// depend on this table, not on the rule itself.
#pragma once

#include <span>
#include <string_view>

#include "bitbayes/types/answer.hpp"

namespace bitbayes::learn {

struct Rule {
    Algorithm algorithm;
    std::string_view algorithm_name;  // as spelled in options and files
    /// The kind of step: "tree", one message down each weight's own branch; "dense", messages summed
    /// over all readers, and batches.
    std::string_view name;
    /// What every layer stores: one number per weight, whose sign is the clipped weight.
    std::string_view learned;
    /// Stored besides `learned` while a learner has moved it away from its function of `learned`;
    /// empty: nothing.
    std::string_view carried;
    /// P(W = +1) = 1 / (1 + exp(-2 h)) with h = learned: networks can be drawn.
    bool has_posterior;
};

/// MFB-BackProp: h is the master copy, w = tanh h follows it step by step (kernels/table.hpp).
inline constexpr Rule kMfbTree{Algorithm::kMfb, "mfb", "tree", "h", "w", true};
/// BackProp: the real weights.
inline constexpr Rule kBackpropTree{Algorithm::kBackprop, "backprop", "tree", "w", "", false};

/// Networks with dense hidden layers: w = tanh h after every batch.
inline constexpr Rule kMfbDense{Algorithm::kMfb, "mfb", "dense", "h", "", true};
inline constexpr Rule kBackpropDense{Algorithm::kBackprop, "backprop", "dense", "w", "", false};

inline constexpr Rule kRules[] = {kMfbTree, kBackpropTree, kMfbDense, kBackpropDense};

inline const Rule& rule_of(Algorithm algorithm, bool trees) {
    return kRules[(trees ? 0 : 2) + (algorithm == Algorithm::kMfb ? 0 : 1)];
}

}  // namespace bitbayes::learn
