// Everything that a model file holds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bitbayes/types/columns.hpp"
#include "data/preprocess.hpp"
#include "learn/architecture.hpp"
#include "learn/label_noise.hpp"
#include "learn/posterior.hpp"
#include "learn/sign_pattern.hpp"

namespace bitbayes::learn {

struct ModelState {
    Architecture architecture;
    Posterior posterior;
    data::Preprocessing preprocessing;
    std::vector<std::string> class_names;  // two classes: one output neuron, +1 is the second
    TableColumns columns;                  // how tables for this model are read
    std::uint64_t seed = 1;
    std::uint64_t samples_seen = 0;
    double prior_scale = 1;
    double evidence = 1;       // how many times each sample counts; also used by `update`
    double learning_rate = 0;  // BackProp only; also used by `update`
    LabelNoise label_noise;
    std::optional<std::uint64_t> memory;  // rows over which evidence fades; unset: it never does
    /// The clipped network that polishing found; unset: the signs of the posterior.
    std::optional<SignPattern> polished;

    const Rule& rule() const { return posterior.rule; }
    Algorithm algorithm() const { return posterior.rule.algorithm; }
    /// The parameter of the learning rule: evidence or learning rate.
    float rate() const {
        return static_cast<float>(algorithm() == Algorithm::kMfb ? evidence : learning_rate);
    }
    std::size_t classes() const { return class_names.size(); }
};

}  // namespace bitbayes::learn
