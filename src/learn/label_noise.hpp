// Wrong labels: P(y | z) = eps + (1 - 2 eps) Phi(y z) at each output.
#pragma once

#include <vector>

namespace bitbayes::learn {

struct LabelNoise {
    std::vector<float> eps;  // of each output; empty: 0
    bool automatic = false;  // eps follows the output's own errors while it learns

    bool operator==(const LabelNoise&) const = default;
};

/// Where an automatic eps starts.
inline constexpr float kFirstLabelNoise = 0.1f;

}  // namespace bitbayes::learn
