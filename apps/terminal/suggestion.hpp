// "Did you mean ...?"
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace bitbayes::cli {

/// The candidate that the word begins, or is nearest to by insertions, deletions, replacements and
/// swaps of neighbours; none if it is too far from all of them.
std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates);

}  // namespace bitbayes::cli
