#include "emit/c_plan.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>

#include "emit/c_raw.hpp"

namespace bitbayes::emit {
namespace {

using packed::ColumnType;
using packed::Layer;
using packed::Network;

/// Words of neurons computed at a time, and inputs added at a time: they bound the RAM.
constexpr std::size_t kMaxChunk = 8, kMaxList = 64;
/// Columns of whole numbers have a list for each of their bits.
constexpr std::size_t kValueList = 16;
/// Inputs are added in blocks of four; the carry of sixteen goes four bits up.
constexpr std::size_t kBlock = 4, kBlockPlanes = 4;

bool fits(std::int64_t low, std::int64_t high, int bits) {
    const std::int64_t end = std::int64_t{1} << (bits - 1);
    return low >= -end && high < end;
}

std::size_t rounded_up(std::size_t n, std::size_t to) { return (n + to - 1) / to; }

void set_bit(CTable& table, std::size_t first, std::size_t position) {
    const auto bits = static_cast<std::size_t>(table.bits);
    table.values[first + position / bits] |= std::int64_t{1} << (position % bits);
}

/// The inputs of a layer: at rest, in the order of the tables, and how many of them a sum can add.
struct Inputs {
    std::vector<std::size_t> order;  // of the tables: the number in the network
    std::vector<std::int64_t> rest;  // by the number in the network
    std::size_t most = 0;            // words that are added at most

    Inputs(std::size_t count, std::int64_t value) : order(count), rest(count, value), most(count) {
        std::iota(order.begin(), order.end(), std::size_t{0});
    }
};

/// Comparators in ascending order within their column. At rest is a column at its training median,
/// which stands for missing values.
Inputs compared_inputs(const Network& network) {
    Inputs inputs(network.inputs(), -1);
    inputs.most = 0;
    for (std::size_t k = 0, end = 0; k < network.inputs(); k = end) {
        while (end < network.inputs() && network.column[end] == network.column[k]) ++end;
        const auto first = inputs.order.begin() + static_cast<std::ptrdiff_t>(k);
        const auto last = inputs.order.begin() + static_cast<std::ptrdiff_t>(end);
        std::stable_sort(first, last, [&](std::size_t a, std::size_t b) {
            return network.comparator[a] < network.comparator[b];
        });
        std::size_t on = 0;
        const std::int16_t median = network.quantiser.missing[network.column[k]];
        for (auto input = first; input < last && !network.asks_for_word(k); ++input) {
            if (median <= network.comparator[*input]) break;
            inputs.rest[*input] = 1;
            ++on;
        }
        inputs.most += std::max(on, end - k - on);
    }
    return inputs;
}

/// Bits of the size of a column, if inputs are whole numbers; else 0.
std::size_t value_bits(const Network& network) {
    const ColumnType type = network.quantiser.type;
    const bool one_bit = type == ColumnType::kBit || type == ColumnType::kSign;
    if (!network.comparator.empty() || one_bit) return 0;
    return type == ColumnType::kI16 ? 16 : 8;
}

Inputs inputs_of(const Network& network) {
    if (!network.comparator.empty()) return compared_inputs(network);
    Inputs inputs(network.inputs(), network.quantiser.type == ColumnType::kSign ? -1 : 0);
    inputs.most *= std::max<std::size_t>(value_bits(network), 1);
    return inputs;
}

std::int64_t floor_divided(std::int64_t a, std::int64_t by) {
    return a / by - (a % by < 0 ? 1 : 0);
}

/// Layer l of all members, side by side.
CLayer side_by_side(const Network& network, std::size_t l, const Inputs& inputs, int unit,
                    const CPlan& plan) {
    const std::string number = std::to_string(l + 1);
    const auto bits = static_cast<std::size_t>(plan.bits);
    CLayer result;
    result.neurons = network.members[0][l].neurons;
    result.fan_in = network.members[0][l].fan_in;
    result.table = rounded_up(result.neurons, bits);
    const std::size_t words = network.members.size() * result.table, rows = result.fan_in + 1;
    result.weights = {"weights_" + number, false, plan.bits, true, {}};
    result.weights.values.resize(words * rows);  // a row of zeros after the last input
    result.start = {"start_" + number, false, plan.bits, true, {}};
    result.start.values.resize(words * plan.planes);
    for (std::size_t m = 0; m < network.members.size(); ++m) {
        const Layer& layer = network.members[m][l];
        assert(layer.reads_all && layer.fan_in == inputs.order.size());
        for (std::size_t i = 0; i < layer.neurons; ++i) {
            const std::size_t word = m * result.table + i / bits, lane = i % bits;
            std::int64_t base = layer.threshold.empty() ? 0 : -layer.threshold[i];
            for (std::size_t k = 0; k < layer.fan_in; ++k) {
                const std::size_t input = inputs.order[k];
                base += layer.weight(i, input) * inputs.rest[input];
                if (layer.weight(i, input) > 0) {
                    set_bit(result.weights, word * rows + k, lane);
                }
            }
            const std::int64_t start = floor_divided(base, unit);
            for (std::size_t p = 0; p < plan.planes; ++p) {
                if ((start >> p & 1) == 0) continue;
                set_bit(result.start, (word + 1) * plan.planes - 1 - p, lane);
            }
        }
    }
    return result;
}

CLayer tree_layer(const Network& network, std::size_t l, int bits) {
    CLayer result;
    result.kind = CKind::kTree;
    result.neurons = network.members[0][l].neurons;
    result.fan_in = network.members[0][l].fan_in;
    result.table = rounded_up(result.neurons * result.fan_in, static_cast<std::size_t>(bits));
    result.weights = {"weights_" + std::to_string(l + 1), false, bits, true, {}};
    result.weights.values.resize(network.members.size() * result.table);
    for (std::size_t m = 0; m < network.members.size(); ++m) {
        const Layer& layer = network.members[m][l];
        for (std::size_t n = 0; n < layer.neurons * layer.fan_in; ++n) {
            if (layer.weight(n / layer.fan_in, n % layer.fan_in) < 0) continue;
            set_bit(result.weights, m * result.table, n);
        }
    }
    return result;
}

CLayer row_layer(const Network& network, std::size_t l, int bits) {
    const std::string number = std::to_string(l + 1);
    CLayer result;
    result.kind = CKind::kRows;
    result.neurons = network.members[0][l].neurons;
    result.fan_in = network.members[0][l].fan_in;
    result.table = rounded_up(result.fan_in, static_cast<std::size_t>(bits));
    const std::size_t outputs = network.members.size() * result.neurons;
    result.weights = {"weights_" + number, false, bits, true, {}};
    result.weights.values.resize(outputs * result.table);
    result.constants = {"constants_" + number, false, 8, false, {}};
    result.constants.values.resize(rounded_up(outputs, 8));
    for (std::size_t n = 0; n < outputs; ++n) {
        const Layer& layer = network.members[n / result.neurons][l];
        const std::size_t i = n % result.neurons;
        for (std::size_t j = 0; j < layer.fan_in; ++j) {
            if (layer.weight(i, j) > 0) set_bit(result.weights, n * result.table, j);
        }
        assert(layer.threshold[i] == -1 || layer.threshold[i] == 1);
        if (layer.threshold[i] < 0) set_bit(result.constants, 0, n);
    }
    return result;
}

void add_comparators(const Network& network, const Inputs& inputs, CPlan& plan) {
    std::vector<std::int64_t> counts(network.quantiser.columns()), values;
    for (const auto column : network.column) ++counts[column];
    for (const std::size_t k : inputs.order) values.push_back(network.comparator[k]);
    std::vector<std::int64_t> rests(counts.size());
    for (std::size_t k = 0; k < network.inputs(); ++k) {
        rests[network.column[k]] += inputs.rest[k] > 0 ? 1 : 0;
    }
    plan.counts = fitting_table("counts", std::move(counts), false);
    plan.rests = fitting_table("rests", std::move(rests), false);
    // Never uint16_t: where int has 16 bits, a negative column would be compared as a large one.
    const bool bytes =
        std::all_of(values.begin(), values.end(), [](auto v) { return v >= 0 && v <= 255; });
    plan.comparators = fitting_table("comparators", std::move(values), !bytes);
    if (network.table.categories.empty()) return;
    std::vector<std::int64_t> words;
    for (const auto& list : network.table.categories) words.push_back(list.empty() ? 0 : 1);
    plan.words = fitting_table("words", std::move(words), false);
}

/// The smallest number of bits, with a sign, that holds -largest .. largest.
std::size_t signed_bits(std::int64_t largest) {
    std::size_t bits = 1;
    while ((std::int64_t{1} << (bits - 1)) <= largest) ++bits;
    return bits;
}

bool is_last(const Network& network, std::size_t l) { return l + 1 == network.members[0].size(); }

bool side_by_side(const Network& network, std::size_t l) {
    return l == 0 || (network.members[0][l].reads_all && !is_last(network, l));
}

/// -1 and +1 where only signs count.
int unit_of(const Network& network) {
    const bool signs = !network.comparator.empty() || network.quantiser.type == ColumnType::kSign;
    return signs && network.members[0].size() > 1 ? 2 : 1;
}

void choose_sizes(const Network& network, int unit, CPlan& plan) {
    const auto& layers = network.members[0];
    std::size_t most_neurons = 0, most_inputs = 0, most_dense = 0;
    plan.planes = signed_bits(network.largest_sum() / unit + 1);
    for (std::size_t l = 0; l < layers.size(); ++l) {
        if (!is_last(network, l)) plan.most_signs = std::max(plan.most_signs, layers[l].neurons);
        if (!side_by_side(network, l)) continue;
        most_neurons = std::max(most_neurons, layers[l].neurons);
        most_inputs = std::max(most_inputs, layers[l].fan_in);
        ++most_dense;
        if (l > 0) {
            const auto sum = static_cast<std::int64_t>(layers[l].fan_in) / 2 + 2;
            plan.planes = std::max(plan.planes, signed_bits(sum));
        }
    }
    plan.bits = most_neurons <= 8 ? 8 : most_neurons <= 16 ? 16 : 32;
    const bool signs = !network.comparator.empty() || network.quantiser.type == ColumnType::kSign;
    plan.plane = signs && unit == 1 ? 2 : 1;
    const std::size_t bits = value_bits(network);
    plan.planes = std::max(plan.planes, std::max(bits, plan.plane) + kBlockPlanes);
    const std::size_t words = rounded_up(most_neurons, static_cast<std::size_t>(plan.bits));
    plan.chunk = layers.size() == 1 ? words : std::min(words, kMaxChunk);
    plan.lists = bits > 0 ? bits : network.comparator.empty() ? 1 : 2;
    plan.list = std::clamp(kBlock * rounded_up(most_inputs, kBlock), kBlock,
                           bits > 0 ? kValueList : kMaxList);
    plan.entry_bits = most_inputs <= 255 ? 8 : most_inputs <= 65535 ? 16 : 32;
    plan.buffers = layers.size() == 1 ? 0 : std::min<std::size_t>(most_dense, 2);
}

}  // namespace

CTable fitting_table(std::string name, std::vector<std::int64_t> values, bool is_signed) {
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    const int spare = is_signed ? 0 : 1;  // an unsigned type holds one bit more
    int bits = 8;
    while (bits < 32 && !fits(*low, *high, bits + spare)) bits *= 2;
    return {std::move(name), is_signed, bits, false, std::move(values)};
}

std::string CTable::type() const {
    return (is_signed ? "int" : "uint") + std::to_string(bits) + "_t";
}

CPlan::CPlan(const Network& network) {
    const std::size_t columns = network.quantiser.columns();
    const int unit = unit_of(network);
    choose_sizes(network, unit, *this);
    const Inputs inputs = inputs_of(network);
    if (!network.comparator.empty()) {
        add_comparators(network, inputs, *this);
    } else if (network.inputs() < columns) {
        used = {"used", false, 8, false, std::vector<std::int64_t>(rounded_up(columns, 8))};
        for (const std::size_t column : network.column) set_bit(used, 0, column);
    }
    for (std::size_t l = 0; l < network.members[0].size(); ++l) {
        const Layer& layer = network.members[0][l];
        if (side_by_side(network, l)) {
            layers.push_back(l == 0 ? side_by_side(network, l, inputs, unit, *this)
                                    : side_by_side(network, l, Inputs(layer.fan_in, -1), 2, *this));
        } else {
            layers.push_back(layer.reads_all ? row_layer(network, l, bits)
                                             : tree_layer(network, l, bits));
        }
    }
    largest_index = std::max(columns, network.inputs());
    for (const CLayer& layer : layers) {
        largest_index = std::max({largest_index, layer.weights.bytes(), layer.start.bytes(),
                                  layer.neurons * network.members.size()});
    }
}

std::vector<const CTable*> CPlan::tables() const {
    std::vector<const CTable*> result{&used, &counts, &rests, &comparators, &words};
    for (const CLayer& layer : layers) {
        result.insert(result.end(), {&layer.weights, &layer.start, &layer.constants});
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
    const std::size_t members = network.members.size();
    const auto word = static_cast<std::size_t>(plan.bits) / 8;
    CFigures figures;
    figures.flash_bytes = plan.flash_bytes();
    for (const CTable& table : raw_tables(network.quantiser))
        figures.raw_flash_bytes += table.bytes();
    constexpr std::size_t kOtherWork = 24, kAnswer = 16;
    figures.ram_bytes =
        word * (plan.chunk * plan.planes +
                plan.buffers * rounded_up(plan.most_signs, static_cast<std::size_t>(plan.bits))) +
        plan.lists * (plan.list + 1) * static_cast<std::size_t>(plan.entry_bits) / 8 + kOtherWork +
        4 * network.outputs() + kAnswer;
    const bool wide = network.quantiser.type == ColumnType::kI16;
    figures.row_bytes = network.quantiser.columns() * (wide ? 2 : 1);
    for (const CLayer& layer : plan.layers) {
        const bool first = &layer == plan.layers.data();
        if (layer.kind == CKind::kSideBySide) {
            const std::size_t most = first ? inputs_of(network).most : layer.fan_in;
            figures.additions += members * layer.table * most;
        } else if (layer.kind == CKind::kRows) {
            figures.words += layer.weights.values.size();
        } else {
            figures.words += layer.weights.values.size() + members * layer.neurons;
        }
    }
    return figures;
}

}  // namespace bitbayes::emit
