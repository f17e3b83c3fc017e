#include "data/categories.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace bitbayes::data {

namespace {

/// Bytes cannot hold a missing value.
void make_room_for_missing(Dataset& data) {
    if (const auto* bytes = std::get_if<std::vector<std::uint8_t>>(&data.values)) {
        data.values = std::vector<float>(bytes->begin(), bytes->end());
    }
}

/// Replaces the codes of column j; new_code is NaN for words that are forgotten.
void recode(Dataset& data, std::size_t j, const std::vector<double>& new_code) {
    const auto is_missing_code = [](double code) { return std::isnan(code); };
    if (std::any_of(new_code.begin(), new_code.end(), is_missing_code)) make_room_for_missing(data);
    for_each_value(data, j, [&]<class T>(T& value) {
        if (!std::isnan(static_cast<double>(value))) {
            value = static_cast<T>(new_code[static_cast<std::size_t>(value)]);
        }
    });
}

}  // namespace

void sort_categories(Dataset& data) {
    for (std::size_t j = 0; j < data.categories.size(); ++j) {
        auto& words = data.categories[j];
        std::vector<std::size_t> order(words.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::sort(order.begin(), order.end(),
                  [&](std::size_t a, std::size_t b) { return words[a] < words[b]; });
        std::vector<double> new_code(words.size());
        std::vector<std::string> sorted;
        for (std::size_t k = 0; k < order.size(); ++k) {
            new_code[order[k]] = static_cast<double>(k);
            sorted.push_back(std::move(words[order[k]]));
        }
        words = std::move(sorted);
        if (!words.empty()) recode(data, j, new_code);
    }
}

void keep_seen_categories(Dataset& train, Dataset& test) {
    for (std::size_t j = 0; j < train.categories.size(); ++j) {
        auto& words = train.categories[j];
        if (words.empty()) continue;
        std::vector<bool> seen(words.size(), false);
        for_each_value(train, j, [&](double code) {
            if (!std::isnan(code)) seen[static_cast<std::size_t>(code)] = true;
        });
        if (std::find(seen.begin(), seen.end(), false) == seen.end()) continue;
        std::vector<double> new_code;
        std::vector<std::string> kept;
        for (std::size_t k = 0; k < words.size(); ++k) {
            new_code.push_back(seen[k] ? static_cast<double>(kept.size())
                                       : std::numeric_limits<double>::quiet_NaN());
            if (seen[k]) kept.push_back(words[k]);
        }
        recode(train, j, new_code);
        recode(test, j, new_code);
        words = kept;
        test.categories[j] = std::move(kept);
    }
}

}  // namespace bitbayes::data
