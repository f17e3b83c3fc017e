#include <algorithm>

#include "emit/verilog_roms.hpp"

namespace bitbayes::emit {
namespace {

using packed::Network;

/// Inputs that are not 0 at once: of a column of words those that ask for one of them.
std::size_t most_entries(const Network& network) {
    std::size_t entries = 0, longest = 0, run = 0;
    for (std::size_t k = 0; k < network.inputs(); ++k) {
        if (!network.asks_for_word(k)) {
            ++entries;
            continue;
        }
        const bool same_column = k > 0 && network.column[k] == network.column[k - 1];
        const bool same = same_column && network.comparator[k] == network.comparator[k - 1];
        run = same ? run + 1 : 1;
        entries -= same_column ? longest : 0;
        longest = same_column ? std::max(longest, run) : run;
        entries += longest;
    }
    return entries;
}

/// From the first clock of a layer until its last neurons have left (runtime/rtl/neurons.v,
/// dense_layers.v).
std::size_t layer_clocks(const FoldedSizes& sizes, std::size_t neurons, std::size_t entries) {
    const auto [groups, last] = sizes.groups(neurons);
    const std::size_t group = sizes.threshold_width + entries + 2;
    const std::size_t next_group = std::max(group, sizes.lanes / sizes.out_lanes + 4);
    return group + (groups - 1) * next_group + 3 + last / sizes.out_lanes;
}

}  // namespace

std::size_t folded_clocks(const Network& network, const FoldedSizes& sizes, std::size_t steps) {
    const auto& layers = network.members[0];
    const std::size_t members = network.members.size();
    std::size_t dense = layer_clocks(sizes, layers[0].neurons * (sizes.dense == 1 ? members : 1),
                                     most_entries(network));
    for (std::size_t l = 1; l < sizes.dense; ++l) {
        dense += layer_clocks(sizes, layers[l].neurons, layers[l].fan_in);
    }
    if (sizes.dense > 1) dense *= members;
    const std::size_t trees = popcount_levels(sizes.out_lanes) + layers.size() - sizes.dense;
    const std::size_t committee = members == 1          ? 0
                                  : network.adds_scores ? 1
                                                        : network.outputs() + 2;
    return steps + 2 + dense + trees + committee + 3;
}

}  // namespace bitbayes::emit
