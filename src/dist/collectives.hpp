// What ranks do together, made of a communicator's calls.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "base/range.hpp"
#include "dist/communicator.hpp"

namespace bitbayes::dist {

/// Runs `work` on every rank. If it throws an Error on some of them, all throw that of the first.
void together(Communicator& ranks, const std::function<void()>& work);

/// This rank's share of `total` things.
inline Range own_share(const Communicator& ranks, std::size_t total) {
    return share_of(total, ranks.rank(), ranks.size());
}

/// `values` belong to `total` things, the same number to each; afterwards every rank has those of all
/// shares.
template <class T>
void gather_shares(Communicator& ranks, std::span<T> values, std::size_t total) {
    if (!ranks.several() || total == 0) return;
    std::vector<std::size_t> sizes(ranks.size());
    for (std::size_t r = 0; r < sizes.size(); ++r) {
        sizes[r] = share_of(total, r, sizes.size()).count * (values.size_bytes() / total);
    }
    ranks.gather(std::as_writable_bytes(values), sizes);
}

}  // namespace bitbayes::dist
