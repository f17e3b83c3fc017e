#include "data/folds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/philox.hpp"
#include "bitbayes/types/error.hpp"
#include "bitbayes/types/rows.hpp"

namespace bitbayes::data {

namespace {

struct Group {
    std::vector<std::size_t> rows;
    std::vector<std::pair<std::uint32_t, double>> classes;  // with the number of rows
};

/// In the order in which they are shared out: by size, equal sizes in random order.
std::vector<Group> groups_of(const Dataset& data, std::uint64_t seed) {
    std::vector<std::uint32_t> names = data.groups;
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    const auto order = Philox(seed, Purpose::kFolds).permutation(names.size());
    std::vector<Group> groups(names.size());
    for (std::size_t r = 0; r < data.rows; ++r) {
        const auto at = std::lower_bound(names.begin(), names.end(), data.groups[r]);
        groups[order[static_cast<std::size_t>(at - names.begin())]].rows.push_back(r);
    }
    for (Group& group : groups) {
        std::vector<std::uint32_t> labels;
        for (const std::size_t r : group.rows) labels.push_back(data.labels[r]);
        std::sort(labels.begin(), labels.end());
        for (const std::uint32_t label : labels) {
            if (group.classes.empty() || group.classes.back().first != label) {
                group.classes.emplace_back(label, 0);
            }
            group.classes.back().second += 1;
        }
    }
    std::stable_sort(groups.begin(), groups.end(),
                     [](const Group& a, const Group& b) { return a.rows.size() > b.rows.size(); });
    return groups;
}

std::vector<std::uint32_t> folds_of_single_rows(const Dataset& data, std::size_t folds,
                                                std::uint64_t seed) {
    std::vector<std::vector<std::size_t>> members(data.class_names.size());
    for (std::size_t r = 0; r < data.rows; ++r) members[data.labels[r]].push_back(r);
    std::vector<std::uint32_t> fold(data.rows);
    std::size_t next = 0;
    for (std::size_t k = 0; k < members.size(); ++k) {
        const Philox random(seed, Purpose::kFolds, static_cast<std::uint32_t>(k));
        for (const std::uint32_t i : random.permutation(members[k].size())) {
            fold[members[k][i]] = static_cast<std::uint32_t>(next++ % folds);
        }
    }
    return fold;
}

/// Takes the rows of every class that has rows in one fold only, and all rows of their groups, out of
/// the folds.
void keep_lonely_classes(const Dataset& data, std::vector<std::uint32_t>& fold) {
    std::vector<std::uint32_t> only(data.class_names.size(), kNoFold);
    std::vector<bool> lonely(data.class_names.size(), true);
    for (std::size_t r = 0; r < data.rows; ++r) {
        std::uint32_t& seen = only[data.labels[r]];
        if (seen == kNoFold) seen = fold[r];
        if (seen != fold[r]) lonely[data.labels[r]] = false;
    }
    std::vector<std::uint32_t> kept;  // groups
    for (std::size_t r = 0; r < data.rows; ++r) {
        if (!lonely[data.labels[r]]) continue;
        fold[r] = kNoFold;
        if (!data.groups.empty()) kept.push_back(data.groups[r]);
    }
    std::sort(kept.begin(), kept.end());
    for (std::size_t r = 0; r < data.rows && !kept.empty(); ++r) {
        if (std::binary_search(kept.begin(), kept.end(), data.groups[r])) fold[r] = kNoFold;
    }
}

}  // namespace

// Group g goes into the part p that minimises sum_k c_k (n_pk + c_k / 2) / (share_p n_k), c_k of its
// rows being of class k, and n_pk of the n_k rows of class k being in part p already: the steepest
// descent of sum_pk n_pk^2 / (share_p n_k), which is smallest where n_pk = share_p n_k.
std::vector<std::uint32_t> share_groups(const Dataset& data, std::span<const double> shares,
                                        std::uint64_t seed) {
    const std::size_t classes = data.class_names.size();
    std::vector<double> all(classes, 0), taken(shares.size() * classes, 0);
    for (const std::uint32_t label : data.labels) all[label] += 1;
    std::vector<std::uint32_t> part(data.rows);
    for (const Group& group : groups_of(data, seed)) {
        std::size_t best = 0;
        double best_cost = 0;
        for (std::size_t p = 0; p < shares.size(); ++p) {
            double cost = 0;
            for (const auto& [k, count] : group.classes) {
                cost += count * (taken[p * classes + k] + count / 2) / (shares[p] * all[k]);
            }
            if (p == 0 || cost < best_cost) std::tie(best, best_cost) = std::pair(p, cost);
        }
        for (const auto& [k, count] : group.classes) taken[best * classes + k] += count;
        for (const std::size_t r : group.rows) part[r] = static_cast<std::uint32_t>(best);
    }
    return part;
}

std::vector<std::uint32_t> draw_folds(const Dataset& data, std::size_t folds, std::uint64_t seed) {
    const LabelledRows checked(data);
    if (folds < 2 || folds > data.rows) {
        throw Error(ErrorCode::kUsage,
                    fmt::format("{}: {} folds of {} rows", data.name, folds, data.rows),
                    "at least two, and not more than rows");
    }
    std::vector<std::uint32_t> fold;
    if (data.groups.empty()) {
        fold = folds_of_single_rows(data, folds, seed);
    } else {
        const std::vector<double> equal(folds, 1 / static_cast<double>(folds));
        fold = share_groups(data, equal, seed);
    }
    keep_lonely_classes(data, fold);
    std::vector<std::size_t> sizes(folds, 0);
    for (const std::uint32_t f : fold) {
        if (f != kNoFold) ++sizes[f];
    }
    if (std::find(sizes.begin(), sizes.end(), 0u) != sizes.end()) {
        throw Error(
            ErrorCode::kUsage,
            fmt::format("{}: {} folds, but one of them would have no row", data.name, folds),
            data.groups.empty() ? "fewer folds" : "fewer folds than groups");
    }
    return fold;
}

}  // namespace bitbayes::data
