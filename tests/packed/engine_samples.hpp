// Networks and rows for the tests of Engine, and the scores by definition.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "packed/network.hpp"
#include "packed/random_network.hpp"

namespace bitbayes::packed {

inline constexpr ColumnType kTypes[] = {ColumnType::kBit, ColumnType::kSign, ColumnType::kU8,
                                        ColumnType::kI8, ColumnType::kI16};

inline test::NetworkShape shape_of(ColumnType type, std::size_t columns,
                                   const std::vector<std::size_t>& fan_ins, std::size_t outputs,
                                   std::size_t members = 1, std::size_t comparators = 0,
                                   std::size_t constant = 0,
                                   const std::vector<std::size_t>& dense = {}) {
    test::NetworkShape shape;
    shape.type = type;
    shape.columns = columns;
    shape.fan_ins = fan_ins;
    shape.outputs = outputs;
    shape.members = members;
    shape.comparators = comparators;
    shape.constant = constant;
    shape.dense = dense;
    return shape;
}

/// About `percent` % of the columns are not 0.
inline std::vector<std::int16_t> some_rows(test::RandomNetwork& random, const Network& network,
                                           std::size_t count, int percent = 50) {
    auto rows = random.rows(network, count);
    for (auto& value : rows) {
        const bool clear = random.between(0, 99) >= percent;
        if (clear && network.quantiser.type != ColumnType::kSign) value = 0;
    }
    return rows;
}

inline std::vector<std::int64_t> plain_scores(const Network& network,
                                              const std::vector<std::int16_t>& rows) {
    std::vector<std::int64_t> result;
    const std::size_t width = network.quantiser.columns();
    for (std::size_t at = 0; at < rows.size(); at += width) {
        const auto one = network.scores(std::span(rows).subspan(at, width));
        result.insert(result.end(), one.begin(), one.end());
    }
    return result;
}

}  // namespace bitbayes::packed
