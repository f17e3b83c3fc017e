#include "data/split.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <span>

#include "base/philox.hpp"
#include "base/sha256.hpp"
#include "bitbayes/types/error.hpp"
#include "bitbayes/types/rows.hpp"
#include "data/categories.hpp"
#include "data/folds.hpp"

namespace bitbayes::data {
namespace {

/// True for the rows that go into the test set; groups whole.
std::vector<bool> draw_test_groups(const Dataset& whole, double fraction, std::uint64_t seed) {
    const std::array<double, 2> shares{fraction, 1 - fraction};
    const auto part = share_groups(whole, shares, seed);
    std::vector<bool> chosen(whole.rows), trained(whole.class_names.size(), false);
    for (std::size_t r = 0; r < whole.rows; ++r) {
        chosen[r] = part[r] == 0;
        if (!chosen[r]) trained[whole.labels[r]] = true;
    }
    std::set<std::uint32_t> kept;  // groups that hold all rows of a class
    for (std::size_t r = 0; r < whole.rows; ++r) {
        if (!trained[whole.labels[r]]) kept.insert(whole.groups[r]);
    }
    for (std::size_t r = 0; r < whole.rows; ++r) {
        if (kept.contains(whole.groups[r])) chosen[r] = false;
    }
    return chosen;
}

/// The same without groups.
std::vector<bool> draw_test_rows(const Dataset& whole, double fraction, std::uint64_t seed) {
    std::vector<std::vector<std::size_t>> members(whole.class_names.size());
    for (std::size_t r = 0; r < whole.rows; ++r) members[whole.labels[r]].push_back(r);
    std::vector<bool> chosen(whole.rows, false);
    for (std::size_t k = 0; k < members.size(); ++k) {
        const std::size_t n = members[k].size();
        if (n == 0) continue;
        const auto wanted = static_cast<std::size_t>(fraction * static_cast<double>(n) + 0.5);
        const Philox random(seed, Purpose::kHoldOut, static_cast<std::uint32_t>(k));
        const auto order = random.permutation(n);
        for (std::size_t i = 0; i < std::min(wanted, n - 1); ++i)
            chosen[members[k][order[i]]] = true;
    }
    return chosen;
}

class Fingerprint {
  public:
    template <class T>
    void add(std::span<const T> values) {
        add_number(values.size());
        sha_.add(std::as_bytes(values));
    }
    void add(const SparseView& x, std::size_t, std::size_t) {
        add(x.row_start);
        add(x.column);
        add(x.value);
    }
    /// Independent of the layout in memory.
    template <class T>
    void add(const DenseView<T>& x, std::size_t rows, std::size_t features) {
        add_number(rows * features);
        std::vector<T> row(features);
        for (std::size_t r = 0; r < rows; ++r) {
            for (std::size_t j = 0; j < features; ++j) row[j] = x.at(r, j);
            sha_.add(std::as_bytes(std::span<const T>(row)));
        }
    }
    void add_number(std::uint64_t n) {
        const std::array<std::uint64_t, 1> bytes{n};
        sha_.add(std::as_bytes(std::span(bytes)));
    }
    std::string hex() { return sha_.hex(); }

  private:
    Sha256 sha_;
};

}  // namespace

LoadedData hold_out(Dataset whole, double fraction, std::uint64_t seed) {
    if (!(fraction > 0 && fraction < 1)) {
        throw Error(ErrorCode::kUsage, fmt::format("cannot hold out a fraction of {}", fraction),
                    "a number between 0 and 1");
    }
    if (!whole.labelled()) {
        throw Error(ErrorCode::kData, fmt::format("{}: no labels to hold out by", whole.name));
    }
    const LabelledRows checked(whole);
    const auto chosen = whole.groups.empty() ? draw_test_rows(whole, fraction, seed)
                                             : draw_test_groups(whole, fraction, seed);
    std::vector<std::size_t> train, test;
    for (std::size_t r = 0; r < whole.rows; ++r) (chosen[r] ? test : train).push_back(r);
    if (test.empty()) {
        throw Error(ErrorCode::kUsage,
                    fmt::format("{}: holding out a fraction of {} leaves no test row", whole.name,
                                fraction),
                    "a larger fraction");
    }
    LoadedData parts{whole.select(train), whole.select(test)};
    keep_seen_categories(parts.train, parts.test);
    return parts;
}

std::string fingerprint(const LabelledRows& data) {
    Fingerprint print;
    const Rows& rows = data.rows;
    print.add_number(static_cast<std::uint64_t>(rows.kind()));
    print.add_number(rows.size());
    print.add_number(rows.features());
    print.add_number(rows.values().index());
    std::visit([&](const auto& values) { print.add(values, rows.size(), rows.features()); },
               rows.values());
    print.add(data.labels);
    print.add_number(data.class_names.size());
    for (const std::string& name : data.class_names) print.add(std::span<const char>(name));
    if (!data.weights.empty()) print.add(data.weights);
    for (const auto& words : rows.categories()) {
        print.add_number(words.size());
        for (const std::string& word : words) print.add(std::span<const char>(word));
    }
    return print.hex();
}

}  // namespace bitbayes::data
