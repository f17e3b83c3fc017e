#include "terminal/suggestion.hpp"

#include <algorithm>
#include <vector>

namespace bitbayes::cli {

namespace {

/// Optimal string alignment distance.
std::size_t distance(std::string_view a, std::string_view b) {
    const std::size_t width = b.size() + 1;
    std::vector<std::size_t> d((a.size() + 1) * width);
    for (std::size_t i = 0; i <= a.size(); ++i) {
        for (std::size_t j = 0; j <= b.size(); ++j) {
            std::size_t& cell = d[i * width + j];
            if (i == 0 || j == 0) {
                cell = i + j;
                continue;
            }
            cell = std::min({d[(i - 1) * width + j] + 1, d[i * width + j - 1] + 1,
                             d[(i - 1) * width + j - 1] + (a[i - 1] != b[j - 1])});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                cell = std::min(cell, d[(i - 2) * width + j - 2] + 1);
            }
        }
    }
    return d.back();
}

}  // namespace

std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates) {
    constexpr std::size_t kMaxLength = 64, kMinPrefix = 3;
    if (word.size() > kMaxLength) return std::nullopt;
    std::optional<std::string> best;
    std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
    for (const std::string& candidate : candidates) {
        const bool begins = word.size() >= kMinPrefix && candidate.starts_with(word);
        const std::size_t away = begins ? 1 : distance(word, candidate);
        if (away >= best_distance) continue;
        best = candidate;
        best_distance = away;
    }
    return best;
}

}  // namespace bitbayes::cli
