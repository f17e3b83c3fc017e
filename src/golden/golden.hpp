// Replays golden vectors through the double core.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace bitbayes::golden {

inline constexpr double kGoldenTolerance = 1e-12;

struct GoldenReport {
    std::string kind;  // "steps", "batches" or "exact"
    bool pass = false;
    /// Largest |error| / max(1, |expected|) of mu, sigma2, nu, h; steps: and G, delta, R where the
    /// file has them; batches: and d, e, gradient, and log_likelihood where the file has it.
    std::map<std::string, double> max_abs_error;
    /// exact files: |h - h_exact| / |h_exact - h0| over all cases, Euclidean.
    double distance = 0;
};

/// Throws Error(kData) if the text is not a golden vector.
GoldenReport check_golden(std::string_view json_text, const std::string& name);

}  // namespace bitbayes::golden
