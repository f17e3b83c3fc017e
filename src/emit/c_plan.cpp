#include "emit/c_plan.hpp"

#include <algorithm>
#include <cassert>

namespace bitbayes::emit {
namespace {

using packed::ColumnType;
using packed::Layer;
using packed::Network;

bool fits(std::int64_t low, std::int64_t high, int bits) {
    const std::int64_t end = std::int64_t{1} << (bits - 1);
    return low >= -end && high < end;
}

/// A table of the smallest type that holds the values.
CTable fitting(std::string name, std::vector<std::int64_t> values, bool is_signed) {
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    const int spare = is_signed ? 0 : 1;  // an unsigned type holds one bit more
    int bits = 8;
    while (bits < 32 && !fits(*low, *high, bits + spare)) bits *= 2;
    return {std::move(name), is_signed, bits, false, std::move(values)};
}

/// Where each input lies in a row of layer 1.
std::vector<std::size_t> positions(const Network& network) {
    std::vector<std::size_t> result(network.column.begin(), network.column.end());
    for (std::size_t k = 0; !network.comparator.empty() && k < result.size(); ++k) result[k] = k;
    return result;
}

void set_bit(CTable& table, std::size_t first, std::size_t position) {
    const auto bits = static_cast<std::size_t>(table.bits);
    table.values[first + position / bits] |= std::int64_t{1} << (position % bits);
}

void add_layer_1(const Network& network, const std::vector<std::size_t>& position, CPlan& plan) {
    const std::size_t neurons = network.members[0][0].neurons;
    plan.weights.values.assign(network.members.size() * neurons * plan.row, 0);
    std::vector<std::int64_t> offsets;
    for (const auto& layers : network.members) {
        const Layer& layer = layers[0];
        assert(layer.reads_all && layer.fan_in == network.inputs());
        for (std::size_t i = 0; i < neurons; ++i) {
            std::int64_t ones = 0;
            for (std::size_t k = 0; k < layer.fan_in; ++k) {
                if (layer.weight(i, k) < 0) continue;
                set_bit(plan.weights, offsets.size() * plan.row, position[k]);
                ++ones;
            }
            const auto all = static_cast<std::int64_t>(layer.fan_in);
            const std::int64_t agreed = !plan.on_bits ? 0 : plan.step == 2 ? all : ones;
            offsets.push_back(agreed - (layer.threshold.empty() ? 0 : layer.threshold[i]));
        }
    }
    plan.offsets = fitting("offsets", std::move(offsets), true);
}

CUpperLayer tree_layer(const Network& network, std::size_t l) {
    CTable table{"weights_" + std::to_string(l + 1), false, 8, true, {}};
    const std::size_t weights = network.members[0][l].neurons * network.members[0][l].fan_in;
    table.values.assign((network.members.size() * weights + 7) / 8, 0);
    std::size_t bit = 0;
    for (const auto& layers : network.members) {
        const Layer& layer = layers[l];
        for (std::size_t i = 0; i < layer.neurons; ++i) {
            for (std::size_t j = 0; j < layer.fan_in; ++j, ++bit) {
                if (layer.weight(i, j) > 0) set_bit(table, 0, bit);
            }
        }
    }
    return {std::move(table), {}, 0};
}

CUpperLayer dense_layer(const Network& network, std::size_t l) {
    const std::string number = std::to_string(l + 1);
    const std::size_t neurons = network.members.size() * network.members[0][l].neurons;
    const std::size_t fan_in = network.members[0][l].fan_in, row = (fan_in + 31) / 32;
    CUpperLayer result{{"weights_" + number, false, 32, true, {}}, {}, row};
    result.weights.values.assign(neurons * row, 0);
    const bool spare = fan_in % 32 != 0;
    if (!spare) {
        result.constants = {"constants_" + number, false, 8, true,
                            std::vector<std::int64_t>((neurons + 7) / 8)};
    }
    std::size_t n = 0;
    for (const auto& layers : network.members) {
        for (std::size_t i = 0; i < layers[l].neurons; ++i, ++n) {
            for (std::size_t j = 0; j < fan_in; ++j) {
                if (layers[l].weight(i, j) > 0) set_bit(result.weights, n * row, j);
            }
            const std::int64_t t = layers[l].threshold[i];
            assert(t == -1 || t == 1);
            // Buffers hold 0 after the last sign: a bit 1 there differs.
            if (spare && t > 0) set_bit(result.weights, n * row, fan_in);
            if (!spare && t < 0) set_bit(result.constants, 0, n);
        }
    }
    return result;
}

void add_upper_layers(const Network& network, CPlan& plan) {
    std::size_t dense_layers = 0;
    for (std::size_t l = 1; l < network.members[0].size(); ++l) {
        const Layer& layer = network.members[0][l];
        plan.upper.push_back(layer.reads_all ? dense_layer(network, l) : tree_layer(network, l));
        const CUpperLayer& upper = plan.upper.back();
        const auto inputs = static_cast<std::int64_t>(layer.fan_in) + (upper.dense() ? 1 : 0);
        plan.largest_sum = std::max(plan.largest_sum, inputs);
        plan.largest_index = std::max({plan.largest_index, upper.weights.values.size(),
                                       network.members.size() * layer.neurons});
        plan.buffer_row = std::max(plan.buffer_row, upper.row);
        if (upper.dense()) ++dense_layers;
    }
    plan.buffers = std::min<std::size_t>(dense_layers, 2);
}

void add_comparators(const Network& network, CPlan& plan) {
    std::vector<std::int64_t> counts(network.quantiser.columns());
    for (const auto column : network.column) ++counts[column];
    std::vector<std::int64_t> values(network.comparator.begin(), network.comparator.end());
    plan.counts = fitting("counts", std::move(counts), false);
    // Never uint16_t: where int has 16 bits, a negative column would be compared as a large one.
    const bool bytes =
        std::all_of(values.begin(), values.end(), [](auto v) { return v >= 0 && v <= 255; });
    plan.comparators = fitting("comparators", std::move(values), !bytes);
    if (network.table.categories.empty()) return;
    std::vector<std::int64_t> words;
    for (const auto& list : network.table.categories) words.push_back(list.empty() ? 0 : 1);
    plan.words = fitting("words", std::move(words), false);
}

}  // namespace

std::string CTable::type() const {
    return (is_signed ? "int" : "uint") + std::to_string(bits) + "_t";
}

CPlan::CPlan(const Network& network) {
    const bool compares = !network.comparator.empty();
    const ColumnType type = network.quantiser.type;
    const std::size_t columns = network.quantiser.columns();
    const auto position = positions(network);
    const std::size_t span = compares ? position.size() : columns;
    on_bits = compares || type == ColumnType::kBit || type == ColumnType::kSign;
    step = !compares && type == ColumnType::kBit ? 1 : 2;
    const int bits = !on_bits || span <= 8 ? 8 : span <= 16 ? 16 : 32;
    row = (span + static_cast<std::size_t>(bits) - 1) / static_cast<std::size_t>(bits);
    weights = {"weights_1", false, bits, true, {}};
    add_layer_1(network, position, *this);
    if (compares) add_comparators(network, *this);
    if (!compares && position.size() < columns) {
        used = {"used", false, bits, true, std::vector<std::int64_t>(row)};
        for (const std::size_t p : position) set_bit(used, 0, p);
    }
    largest_sum = network.largest_sum();
    const std::size_t neurons = network.members.size() * network.members[0][0].neurons;
    largest_index = std::max({weights.values.size(), neurons, columns, span});
    add_upper_layers(network, *this);
}

std::vector<const CTable*> CPlan::tables() const {
    std::vector<const CTable*> result{&used, &counts, &comparators, &words, &weights, &offsets};
    for (const CUpperLayer& layer : upper) {
        result.push_back(&layer.weights);
        result.push_back(&layer.constants);
    }
    std::erase_if(result, [](const CTable* table) { return table->values.empty(); });
    return result;
}

std::size_t CPlan::flash_bytes() const {
    std::size_t bytes = 0;
    for (const CTable* table : tables()) bytes += table->bytes();
    return bytes;
}

std::string column_type(ColumnType type) {
    switch (type) {
        case ColumnType::kBit:
        case ColumnType::kU8:
            return "uint8_t";
        case ColumnType::kSign:
        case ColumnType::kI8:
            return "int8_t";
        case ColumnType::kI16:
            break;
    }
    return "int16_t";
}

CFigures c_figures(const Network& network) {
    const CPlan plan(network);
    CFigures figures;
    figures.flash_bytes = plan.flash_bytes();
    const std::size_t pointer_and_total = 8, answer = 16;
    const std::size_t input = plan.on_bits
                                  ? plan.row * static_cast<std::size_t>(plan.weights.bits) / 8
                                  : pointer_and_total;
    figures.ram_bytes = input + 4 * plan.buffers * plan.buffer_row + 4 * network.outputs() + answer;
    const bool wide = network.quantiser.type == ColumnType::kI16;
    figures.row_bytes = network.quantiser.columns() * (wide ? 2 : 1);
    if (plan.on_bits) {
        figures.word_steps = plan.weights.values.size();
    } else {
        figures.additions = plan.offsets.values.size() * network.quantiser.columns();
    }
    for (std::size_t l = 1; l < network.members[0].size(); ++l) {
        const CUpperLayer& upper = plan.upper[l - 1];
        if (upper.dense()) {
            figures.dense_words += upper.weights.values.size();
        } else {
            figures.votes += network.members.size() * network.members[0][l - 1].neurons;
        }
    }
    return figures;
}

}  // namespace bitbayes::emit
