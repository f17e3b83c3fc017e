// Random packed networks and rows for them, and their scores by definition.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "packed/network.hpp"

namespace bitbayes::packed {

inline constexpr ColumnType kTypes[] = {ColumnType::kBit, ColumnType::kSign, ColumnType::kU8,
                                        ColumnType::kI8, ColumnType::kI16};

struct Shape {
    ColumnType type = ColumnType::kU8;
    std::size_t columns = 40;
    std::vector<std::size_t> fan_ins{};  // of layers 2..L, input side first
    std::size_t outputs = 3;
    std::size_t members = 1;
    bool comparators = false;
    std::size_t left_out = 0;  // columns, from the second on
};

class Maker {
  public:
    Network network(const Shape& shape) {
        Network network;
        network.quantiser.type = shape.type;
        network.quantiser.missing.resize(shape.columns);
        for (std::uint32_t c = 0; c < shape.columns; ++c) {
            if (c >= 1 && c <= shape.left_out) continue;
            for (int n = shape.comparators ? 1 + c % 3 : 1; n > 0; --n) network.column.push_back(c);
        }
        for (std::size_t k = 0; shape.comparators && k < network.column.size(); ++k) {
            network.comparator.push_back(value(shape.type));
        }
        for (std::size_t m = 0; m < shape.members; ++m) {
            network.members.push_back(layers(shape, network.inputs()));
        }
        return network;
    }

    /// Each not 0 with probability `share`.
    std::vector<std::int16_t> rows(const Shape& shape, std::size_t count, double share = 0.5) {
        std::vector<std::int16_t> result(count * shape.columns);
        std::bernoulli_distribution there(share);
        for (auto& one : result) {
            if (shape.type == ColumnType::kSign || there(random_)) one = value(shape.type);
        }
        return result;
    }

  private:
    std::int16_t value(ColumnType type) {
        const auto [low, high] = range_of(type);
        if (type == ColumnType::kSign) return random_() & 1 ? 1 : -1;
        const int kind = static_cast<int>(random_() % 8);  // the ends of the range now and then
        if (kind < 2) return static_cast<std::int16_t>(kind == 0 ? low : high);
        return static_cast<std::int16_t>(std::uniform_int_distribution<int>(low, high)(random_));
    }

    std::vector<Layer> layers(const Shape& shape, std::size_t inputs) {
        std::size_t neurons = shape.outputs;
        for (const std::size_t fan_in : shape.fan_ins) neurons *= fan_in;
        std::vector<Layer> result{random(Layer(neurons, inputs, true))};
        const int widest = shape.type == ColumnType::kI16 ? 50000 : 300;
        std::uniform_int_distribution<int> threshold(-widest, widest);
        for (std::size_t i = 0; i < neurons; ++i) {
            result[0].threshold.push_back(threshold(random_) / (i % 3 == 0 ? 100 : 1));
        }
        for (const std::size_t fan_in : shape.fan_ins) {
            neurons /= fan_in;
            result.push_back(random(Layer(neurons, fan_in, false)));
        }
        return result;
    }

    Layer random(Layer layer) {
        for (std::size_t i = 0; i < layer.neurons; ++i) {
            for (std::size_t j = 0; j < layer.fan_in; ++j) {
                if (random_() & 1) layer.set_positive(i, j);
            }
        }
        return layer;
    }

    std::mt19937 random_{1};
};

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
