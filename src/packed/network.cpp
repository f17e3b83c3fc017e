#include "packed/network.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <limits>

namespace bitbayes::packed {
namespace {

constexpr std::array kTypes{ColumnType::kBit, ColumnType::kSign, ColumnType::kU8, ColumnType::kI8,
                            ColumnType::kI16};

/// The largest |raw_origin|: with a column added it stays within int32.
constexpr double kMaxRawOrigin = 0x1p30;

/// To the nearest whole number, halves up: as integers do it, (x + half) >> bits.
double round_up(double x) {
    const double below = std::floor(x);
    return x - below >= 0.5 ? below + 1 : below;
}

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
    const double q = step.empty() ? value
                     : binary     ? round_up(value / step[column]) - origin[column] / step[column]
                                  : (value - origin[column]) / step[column];
    if (std::isnan(q)) return missing[column];
    if (type == ColumnType::kSign) return q >= 0 ? 1 : -1;
    const auto [least, most] = range_of(type);
    return static_cast<std::int16_t>(std::clamp<double>(std::round(q), least, most));
}

bool Quantiser::has_raw() const {
    bool fits = binary || step.empty();
    for (std::size_t j = 0; fits && j < step.size(); ++j) {
        fits = std::fabs(origin[j] / step[j]) <= kMaxRawOrigin;
    }
    return fits;
}

std::int32_t Quantiser::raw_origin(std::size_t column) const {
    return step.empty() ? 0 : static_cast<std::int32_t>(origin[column] / step[column]);
}

std::int32_t Quantiser::raw(std::size_t column, double value) const {
    if (std::isnan(value)) return kMissing;
    const double raw = step.empty() ? std::round(value) : round_up(value / step[column]);
    constexpr double kMost = std::numeric_limits<std::int32_t>::max();
    return static_cast<std::int32_t>(std::clamp(raw, -kMost, kMost));
}

int Quantiser::scale_bits(std::size_t column) const {
    return step.empty() ? 0 : -std::ilogb(step[column]);
}

bool Quantiser::outside(std::size_t column, double value) const {
    return !low.empty() && outside_raw(column, raw(column, value));
}

bool Quantiser::outside_raw(std::size_t column, std::int32_t raw) const {
    return !low.empty() && raw != kMissing && (raw < low[column] || raw > high[column]);
}

bool Quantiser::outside(std::span<const double> values) const {
    // Rounding never leaves a range of whole numbers, so only the other values are rounded.
    bool inside = true;
    for (std::size_t j = 0; j < low.size(); ++j) {
        const double x = step.empty() ? values[j] : values[j] / step[j];
        inside &= x >= low[j] && x <= high[j];
    }
    bool found = false;
    for (std::size_t j = 0; !inside && !found && j < low.size(); ++j) found = outside(j, values[j]);
    return found;
}

void Quantiser::operator()(std::span<const double> values, std::span<std::int16_t> row) const {
    const auto [least, most] = range_of(type);
    const bool plain = step.empty() && type != ColumnType::kSign;
    for (std::size_t j = 0; j < columns(); ++j) {
        // Whole numbers within the range, which most are, need no rounding.
        const double x = values[j];
        const bool inside = plain && x >= least && x <= most;
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

std::int64_t Network::largest_score() const {
    const auto count = static_cast<std::int64_t>(members.size());
    if (count > 1 && !adds_scores) return count;
    const Layer& last = members.front().back();
    const auto in_member = static_cast<std::int64_t>(last.fan_in) + (last.reads_all ? 1 : 0);
    return count * (members.front().size() == 1 ? largest_sum() : in_member);
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
    std::vector<std::int64_t> total(outputs());
    for (const auto& layers : members) add_member(member_scores(layers, x), total);
    return total;
}

void Network::add_member(std::span<const std::int64_t> member,
                         std::span<std::int64_t> scores) const {
    if (adds_scores) {
        std::transform(scores.begin(), scores.end(), member.begin(), scores.begin(), std::plus<>());
        return;
    }
    const std::size_t first_class = scores.size() == 1 ? 1 : 0, winner = answer(member).class_index;
    for (std::size_t k = 0; k < scores.size(); ++k) scores[k] += first_class + k == winner ? 1 : -1;
}

Answer Network::answer(std::span<const std::int64_t> scores) {
    ScoreTally tally;
    for (const std::int64_t score : scores) tally.add(score);
    return tally.answer();
}

}  // namespace bitbayes::packed
