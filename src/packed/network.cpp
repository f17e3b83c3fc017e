#include "packed/network.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

namespace bitbayes::packed {
namespace {

constexpr std::array kTypes{ColumnType::kBit, ColumnType::kSign, ColumnType::kU8, ColumnType::kI8,
                            ColumnType::kI16};

std::vector<std::int64_t> sums(const Layer& layer, std::span<const std::int16_t> x) {
    std::vector<std::int64_t> result(layer.neurons);
    for (std::size_t i = 0; i < layer.neurons; ++i) {
        const auto read = layer.reads_all ? x : x.subspan(i * layer.fan_in, layer.fan_in);
        for (std::size_t j = 0; j < layer.fan_in; ++j) result[i] += layer.weight(i, j) * read[j];
        if (!layer.threshold.empty()) result[i] -= layer.threshold[i];
    }
    return result;
}

std::vector<std::int64_t> member_scores(std::span<const Layer> layers,
                                        std::vector<std::int16_t> x) {
    std::vector<std::int64_t> u = sums(layers[0], x);
    for (const Layer& layer : layers.subspan(1)) {
        x.resize(u.size());
        std::transform(u.begin(), u.end(), x.begin(),
                       [](std::int64_t sum) { return std::int16_t(sum >= 0 ? 1 : -1); });
        u = sums(layer, x);
    }
    return u;
}

}  // namespace

ColumnRange range_of(ColumnType type) {
    switch (type) {
        case ColumnType::kBit:
            return {0, 1};
        case ColumnType::kSign:
            return {-1, 1};
        case ColumnType::kU8:
            return {0, 255};
        case ColumnType::kI8:
            return {-128, 127};
        case ColumnType::kI16:
            break;
    }
    return {-32768, 32767};
}

const char* name_of(ColumnType type) {
    constexpr std::array kNames{"bit", "sign", "u8", "i8", "i16"};
    return kNames[static_cast<std::size_t>(type)];
}

bool parse_column_type(const std::string& name, ColumnType& type) {
    const auto found = std::find_if(kTypes.begin(), kTypes.end(),
                                    [&](ColumnType each) { return name == name_of(each); });
    if (found != kTypes.end()) type = *found;
    return found != kTypes.end();
}

std::int16_t Quantiser::operator()(std::size_t column, double value) const {
    const double q = step.empty() ? value : (value - origin[column]) / step[column];
    if (std::isnan(q)) return missing[column];
    if (type == ColumnType::kSign) return q >= 0 ? 1 : -1;
    const auto [low, high] = range_of(type);
    return static_cast<std::int16_t>(std::clamp<double>(std::round(q), low, high));
}

void Quantiser::operator()(std::span<const double> values, std::span<std::int16_t> row) const {
    const auto [low, high] = range_of(type);
    const bool plain = step.empty() && type != ColumnType::kSign;
    for (std::size_t j = 0; j < columns(); ++j) {
        // Whole numbers within the range, which most are, need no rounding.
        const double x = values[j];
        const bool inside = plain && x >= low && x <= high;
        const auto whole = static_cast<std::int16_t>(inside ? x : 0.0);
        row[j] = inside && whole == x ? whole : (*this)(j, x);
    }
}

std::size_t Network::weights() const {
    std::size_t sum = 0;
    for (const Layer& layer : members.front()) sum += layer.neurons * layer.fan_in;
    return sum * members.size();
}

std::int64_t Network::largest_sum() const {
    const auto [low, high] = range_of(comparator.empty() ? quantiser.type : ColumnType::kSign);
    std::int64_t largest = 0;
    for (const auto& layers : members) {
        for (const std::int64_t t : layers[0].threshold) largest = std::max(largest, std::abs(t));
    }
    return largest + static_cast<std::int64_t>(inputs()) * std::max(-low, high);
}

std::vector<std::int16_t> Network::inputs_of(std::span<const std::int16_t> columns) const {
    std::vector<std::int16_t> x;
    x.reserve(inputs());
    for (std::size_t k = 0; k < inputs(); ++k) {
        const std::int16_t c = columns[column[k]];
        if (comparator.empty()) {
            x.push_back(c);
            continue;
        }
        const bool on = asks_for_word(k) ? c == comparator[k] : c > comparator[k];
        x.push_back(on ? 1 : -1);
    }
    return x;
}

std::vector<std::int64_t> Network::scores(std::span<const std::int16_t> columns) const {
    const auto x = inputs_of(columns);
    if (members.size() == 1) return member_scores(members[0], x);
    std::vector<std::int64_t> votes(outputs());
    for (const auto& layers : members) vote(member_scores(layers, x), votes);
    return votes;
}

void Network::vote(std::span<const std::int64_t> member, std::span<std::int64_t> scores) {
    vote(answer(member).class_index, scores);
}

void Network::vote(std::uint32_t winner, std::span<std::int64_t> scores) {
    if (scores.size() == 1) {
        scores[0] += winner == 1 ? 1 : -1;
        return;
    }
    for (std::size_t k = 0; k < scores.size(); ++k) scores[k] += k == winner ? 1 : -1;
}

Answer Network::answer(std::span<const std::int64_t> scores) {
    ScoreTally tally;
    for (const std::int64_t score : scores) tally.add(score);
    return tally.answer();
}

}  // namespace bitbayes::packed
