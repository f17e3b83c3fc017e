#include "data/split.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <unordered_map>

#include "base/philox.hpp"
#include "base/sha256.hpp"
#include "bitbayes/error.hpp"
#include "data/numbers.hpp"

namespace bitbayes::data {
namespace {

constexpr std::uint32_t kUnknown = std::numeric_limits<std::uint32_t>::max();

/// True for the rows that go into the test set.
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

/// For each name, its index among `known`, or kUnknown.
std::vector<std::uint32_t> match_names(const std::vector<std::string>& names,
                                       const std::vector<std::string>& known) {
    std::unordered_map<std::string, std::uint32_t> index;
    std::unordered_map<std::int64_t, std::uint32_t> index_of_integer;
    for (std::uint32_t k = 0; k < known.size(); ++k) {
        index[known[k]] = k;
        if (const auto number = parse_integer(known[k])) index_of_integer[*number] = k;
    }
    std::vector<std::uint32_t> matched;
    for (const std::string& name : names) {
        const auto number = parse_integer(name);
        if (const auto found = index.find(name); found != index.end()) {
            matched.push_back(found->second);
        } else if (number && index_of_integer.contains(*number)) {
            matched.push_back(index_of_integer[*number]);
        } else {
            matched.push_back(kUnknown);
        }
    }
    return matched;
}

class Fingerprint {
  public:
    template <class T>
    void add(std::span<const T> values) {
        add_number(values.size());
        sha_.add(std::as_bytes(values));
    }
    template <class T>
    void add(const std::vector<T>& values) {
        add(std::span<const T>(values));
    }
    void add(const SparseRows& x) {
        add(x.row_start);
        add(x.column);
        add(x.value);
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
    const auto chosen = draw_test_rows(whole, fraction, seed);
    std::vector<std::size_t> train, test;
    for (std::size_t r = 0; r < whole.rows; ++r) (chosen[r] ? test : train).push_back(r);
    if (test.empty()) {
        throw Error(ErrorCode::kUsage,
                    fmt::format("{}: holding out a fraction of {} leaves no test row", whole.name,
                                fraction),
                    "a larger fraction");
    }
    return {whole.select(train), whole.select(test)};
}

namespace {

std::string some_of(const std::vector<std::string>& names) {
    constexpr std::size_t kMost = 10;
    const auto last = names.begin() + static_cast<std::ptrdiff_t>(std::min(kMost, names.size()));
    return fmt::format("{}{}", fmt::join(names.begin(), last, ", "),
                       names.size() > kMost ? ", ..." : "");
}

}  // namespace

std::vector<std::uint32_t> labels_among(const Dataset& data,
                                        const std::vector<std::string>& class_names) {
    if (!data.labelled()) throw Error(ErrorCode::kData, fmt::format("{}: no labels", data.name));
    const auto matched = match_names(data.class_names, class_names);
    std::vector<std::uint32_t> labels(data.labels.size());
    for (std::size_t r = 0; r < labels.size(); ++r) {
        labels[r] = matched[data.labels[r]];
        if (labels[r] == kUnknown) {
            throw Error(ErrorCode::kData,
                        fmt::format("{}: row {} (from 0): class {} is unknown to the model",
                                    data.name, r, quoted(data.class_names[data.labels[r]])),
                        "it was trained on " + some_of(class_names));
        }
    }
    return labels;
}

std::string fingerprint(const Dataset& data) {
    Fingerprint print;
    print.add_number(static_cast<std::uint64_t>(data.kind));
    print.add_number(data.rows);
    print.add_number(data.features);
    print.add_number(data.values.index());
    std::visit([&](const auto& values) { print.add(values); }, data.values);
    print.add(data.labels);
    print.add_number(data.class_names.size());
    for (const std::string& name : data.class_names) print.add(std::span<const char>(name));
    return print.hex();
}

}  // namespace bitbayes::data
