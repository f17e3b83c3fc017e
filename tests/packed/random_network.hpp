// Random packed networks and rows for tests of everything that evaluates or writes them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "packed/network.hpp"

namespace bitbayes::test {

struct NetworkShape {
    packed::ColumnType type = packed::ColumnType::kU8;
    std::size_t columns = 10;
    std::size_t constant = 0;               // columns that are not inputs
    std::size_t comparators = 0;            // at most, per column; 0: the inputs are the columns
    std::vector<std::size_t> fan_ins = {};  // of tree layers, which are above the dense ones
    std::size_t outputs = 3;                // one output: two classes
    std::size_t members = 1;
    bool end_thresholds = false;  // at and beyond the ends of the range of the sums
    std::int64_t abstain_below = 0;
    bool words = false;  // every second column holds codes of words; only with comparators
    std::vector<std::size_t> dense = {};  // hidden neurons of dense layers, input side first
    bool adds_scores = false;             // a committee: else its members vote
};

class RandomNetwork {
  public:
    explicit RandomNetwork(unsigned seed) : engine_(seed) {}

    packed::Network network(const NetworkShape& shape) {
        packed::Network network;
        network.quantiser.type = shape.type;
        network.quantiser.missing = row(shape.type, shape.columns);
        add_inputs(shape, network);
        for (std::size_t m = 0; m < shape.members; ++m) {
            network.members.push_back(member(shape, network));
        }
        for (std::size_t k = 0; k < std::max<std::size_t>(shape.outputs, 2); ++k) {
            network.class_names.push_back("class " + std::to_string(k));
        }
        network.adds_scores = shape.adds_scores;
        network.abstain_below = shape.abstain_below;
        network.table.features = shape.columns;
        for (std::size_t j = 0; shape.words && j < shape.columns; ++j) {
            network.table.categories.push_back(j % 2 == 0 ? std::vector<std::string>{"a", "b"}
                                                          : std::vector<std::string>());
        }
        return network;
    }

    /// Columns as a quantiser gives them; half of them at the ends of the range.
    std::vector<std::int16_t> row(packed::ColumnType type, std::size_t columns) {
        const auto [low, high] = packed::range_of(type);
        std::vector<std::int16_t> values(columns);
        for (auto& value : values) {
            const int end = between(0, 1) == 0 ? low : high;
            const bool at_end = type == packed::ColumnType::kSign || between(0, 1) == 0;
            value = static_cast<std::int16_t>(at_end ? end : between(low, high));
        }
        return values;
    }
    std::vector<std::int16_t> rows(const packed::Network& network, std::size_t count) {
        std::vector<std::int16_t> all;
        for (std::size_t r = 0; r < count; ++r) {
            const auto one = row(network.quantiser.type, network.quantiser.columns());
            all.insert(all.end(), one.begin(), one.end());
        }
        return all;
    }

    int between(int low, int high) {
        return std::uniform_int_distribution<int>(low, high)(engine_);
    }

  private:
    void add_inputs(const NetworkShape& shape, packed::Network& network) {
        const auto [low, high] = packed::range_of(shape.type);
        std::vector<std::uint32_t> used(shape.columns);
        for (std::uint32_t j = 0; j < shape.columns; ++j) used[j] = j;
        std::shuffle(used.begin(), used.end(), engine_);
        used.resize(shape.columns - shape.constant);
        std::sort(used.begin(), used.end());
        if (shape.comparators == 0) network.column = used;
        for (std::size_t u = 0; shape.comparators > 0 && u < used.size(); ++u) {
            const int count = between(1, static_cast<int>(shape.comparators));
            for (int k = 0; k < count; ++k) {
                network.column.push_back(used[u]);
                network.comparator.push_back(static_cast<std::int16_t>(between(low, high - 1)));
            }
            std::sort(network.comparator.end() - count, network.comparator.end());
        }
    }

    std::vector<packed::Layer> member(const NetworkShape& shape, const packed::Network& network) {
        std::size_t neurons = shape.outputs;
        for (const std::size_t fan_in : shape.fan_ins) neurons *= fan_in;
        std::vector<std::size_t> widths = shape.dense;
        widths.push_back(neurons);
        std::vector<packed::Layer> layers;
        for (const std::size_t width : widths) {
            const bool first = layers.empty();
            const std::size_t below = first ? network.inputs() : layers.back().neurons;
            const int largest = first ? reach(network) : 0;
            layers.push_back(layer(width, below, true));
            for (std::size_t i = 0; i < width; ++i) {
                layers.back().threshold.push_back(!first ? 2 * between(0, 1) - 1
                                                  : shape.end_thresholds
                                                      ? end_threshold(largest)
                                                      : between(-largest / 8, largest / 8));
            }
        }
        for (const std::size_t fan_in : shape.fan_ins) {
            neurons /= fan_in;
            layers.push_back(layer(neurons, fan_in, false));
        }
        return layers;
    }

    packed::Layer layer(std::size_t neurons, std::size_t fan_in, bool reads_all) {
        packed::Layer result(neurons, fan_in, reads_all);
        for (std::size_t i = 0; i < neurons; ++i) {
            for (std::size_t j = 0; j < fan_in; ++j) {
                if (between(0, 1) == 1) result.set_positive(i, j);
            }
        }
        return result;
    }

    /// An upper bound on |sum| in layer 1.
    static int reach(const packed::Network& network) {
        const auto [low, high] = packed::range_of(
            network.comparator.empty() ? network.quantiser.type : packed::ColumnType::kSign);
        return static_cast<int>(network.inputs()) * std::max(-low, high);
    }

    std::int64_t end_threshold(int largest) {
        const std::vector<int> ends{-largest - 1, -largest, -largest + 1, 0, largest, largest + 1};
        return ends[static_cast<std::size_t>(between(0, 5))];
    }

    std::mt19937 engine_;
};

}  // namespace bitbayes::test
