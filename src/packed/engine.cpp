#include "packed/engine.hpp"

#include <algorithm>
#include <bit>
#include <cassert>

namespace bitbayes::packed {
namespace {

/// Rows that go through a chunk of neurons together while it is in the cache: at most kMaxRows, and
/// at most kMaxDigits digits unless it is a single row.
constexpr std::size_t kMaxRows = 32, kMaxDigits = 1 << 20;

/// Narrower layers would fill a small part of a chunk.
constexpr std::size_t kMinPlaneNeurons = 64;

/// For hidden layers above the first.
bool by_planes(const Layer& layer) { return layer.reads_all && layer.neurons >= kMinPlaneNeurons; }

bool signs_of(const Network& network) {
    return !network.comparator.empty() || network.quantiser.type == ColumnType::kSign;
}

std::vector<const Layer*> first_layers(const Network& network) {
    std::vector<const Layer*> layers;
    for (const auto& member : network.members) layers.push_back(&member[0]);
    return layers;
}

std::int64_t largest_input(const Network& network) {
    const auto [low, high] = range_of(network.quantiser.type);
    return std::max(-low, high);
}

}  // namespace

struct Engine::Work {
    std::vector<std::uint64_t> set;  // bits of the columns that are not 0
    InputEntries entries;
    std::vector<Digits> digits;        // per row
    std::vector<std::uint64_t> first;  // per row: layer 1's signs
    std::vector<std::int64_t> sums;    // per row: layer 1's sums, if it is the only layer
    // The layers above: the signs that a layer reads, `stride` words from row to row, and its own.
    const std::uint64_t* v = nullptr;
    std::size_t stride = 0;
    std::vector<std::uint64_t> below, above;

    Work(std::size_t rows, std::size_t columns) : set((columns + 63) / 64), digits(rows) {}

    const std::uint64_t* row(std::size_t r) const { return v + r * stride; }
    void move_up(std::size_t words) {
        below.swap(above);
        v = below.data();
        stride = words;
    }
};

Engine::Engine(const Network& network, const PlaneKernels& kernels)
    : network_(network),
      kernels_(kernels),
      signs_(signs_of(network)),
      first_(first_layers(network), signs_, largest_input(network), kernels) {
    const std::size_t inputs = network.inputs();
    for (std::size_t k = 0; !network.table.categories.empty() && k < inputs; ++k) {
        asks_for_word_.push_back(network.asks_for_word(k));
    }
    row_of_column_.assign(network.quantiser.columns(), kLeftOut);
    for (std::size_t k = 0; k < inputs; ++k) row_of_column_[network.column[k]] = first_.row_of(k);
    for (const auto& layers : network.members) {
        for (std::size_t l = 1; l + 1 < layers.size(); ++l) {
            if (by_planes(layers[l])) {
                wide_.emplace_back(std::vector{&layers[l]}, true, 1, kernels);
            }
        }
    }
}

/// Writes the inputs that are not 0 as digits.
template <class T>
void Engine::read(std::span<const T> columns, Work& work, Digits& digits) const {
    InputEntries& entries = work.entries;
    entries.clear(network_.inputs());
    if (!network_.comparator.empty()) {
        for (std::size_t k = 0; k < network_.inputs(); ++k) {
            const int c = columns[network_.column[k]], limit = network_.comparator[k];
            const bool word = !asks_for_word_.empty() && asks_for_word_[k] != 0;
            entries.push(first_.row_of(k), (word ? c == limit : c > limit) ? 2 : 0);
        }
        return first_.write(entries, digits);
    }
    const T rest = signs_ ? static_cast<T>(-1) : T{0};
    if constexpr (sizeof(T) == 1) {
        kernels_.differ_u8(columns, rest, work.set.data());
    } else {
        kernels_.differ_i16(columns, rest, work.set.data());
    }
    for (std::size_t w = 0; w < work.set.size(); ++w) {
        for (std::uint64_t bits = work.set[w]; bits != 0; bits &= bits - 1) {
            const std::size_t c = 64 * w + static_cast<std::size_t>(std::countr_zero(bits));
            const std::uint32_t row = row_of_column_[c];
            if (row != kLeftOut) entries.push(row, signs_ ? 2 : columns[c]);
        }
    }
    first_.write(entries, digits);
}

/// Layer 1.
void Engine::add(Work& work, std::size_t rows) const {
    const std::size_t words = rows * first_.sign_words();
    work.first.resize(words);
    if (one_layer()) work.sums.resize(64 * words);
    first_.add(std::span(work.digits).first(rows), work.first.data(),
               one_layer() ? work.sums.data() : nullptr);
}

/// The layers above, and what members make of them together.
void Engine::finish(Work& work, std::size_t rows, std::span<std::int64_t> scores) const {
    const std::size_t members = network_.members.size();
    if (members == 1) return member_scores(0, work, rows, scores);
    std::fill(scores.begin(), scores.end(), 0);
    std::vector<std::int64_t> own(scores.size());
    for (std::size_t m = 0; m < members; ++m) {
        member_scores(m, work, rows, own);
        for (std::size_t at = 0; at < own.size(); at += outputs()) {
            network_.add_member(std::span(own).subspan(at, outputs()),
                                scores.subspan(at, outputs()));
        }
    }
}

void Engine::member_scores(std::size_t member, Work& work, std::size_t rows,
                           std::span<std::int64_t> scores) const {
    const auto& layers = network_.members[member];
    const std::size_t first = member * first_.layer_words();
    const PlaneLayer* wide = wide_.data() + member * (wide_.size() / network_.members.size());
    work.v = work.first.data() + first;
    work.stride = first_.sign_words();
    for (std::size_t l = 1; l + 1 < layers.size(); ++l) {
        if (by_planes(layers[l])) {
            add_planes(*wide++, work, rows);
        } else {
            count_bits(layers[l], work, rows);
        }
    }
    for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t k = 0; k < outputs(); ++k) {
            scores[r * outputs() + k] = one_layer() ? work.sums[64 * (r * work.stride + first) + k]
                                                    : sum(layers.back(), k, work.row(r));
        }
    }
}

void Engine::add_planes(const PlaneLayer& layer, Work& work, std::size_t rows) const {
    for (std::size_t r = 0; r < rows; ++r) layer.write(work.row(r), work.digits[r]);
    work.above.resize(rows * layer.sign_words());
    layer.add(std::span(work.digits).first(rows), work.above.data(), nullptr);
    work.move_up(layer.sign_words());
}

void Engine::count_bits(const Layer& layer, Work& work, std::size_t rows) const {
    const std::size_t words = layer.neurons / 64 + 2;  // equal_bits looks one ahead
    work.above.assign(rows * words, 0);
    for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t i = 0; i < layer.neurons; ++i) {
            work.above[r * words + i / 64] |=
                static_cast<std::uint64_t>(sum(layer, i, work.row(r)) >= 0) << i % 64;
        }
    }
    work.move_up(words);
}

std::int64_t Engine::sum(const Layer& layer, std::size_t neuron, const std::uint64_t* v) const {
    const std::size_t first = layer.reads_all ? 0 : neuron * layer.fan_in;
    const std::int64_t t = layer.reads_all ? layer.threshold[neuron] : 0;
    const auto equal = kernels_.equal_bits(layer.row(neuron), v, first, layer.fan_in);
    return 2 * equal - static_cast<std::int64_t>(layer.fan_in) - t;
}

template <class T>
void Engine::score_rows(std::span<const T> columns, std::span<std::int64_t> scores) const {
    const std::size_t width = network_.quantiser.columns(), rows = scores.size() / outputs();
    assert(columns.size() == rows * width);
    const std::size_t max_rows =
        std::clamp<std::size_t>(kMaxDigits / (first_.max_digits() + 1), 1, kMaxRows);
    Work work(std::min(rows, max_rows), width);
    for (std::size_t first = 0; first < rows; first += max_rows) {
        const std::size_t count = std::min(max_rows, rows - first);
        for (std::size_t r = 0; r < count; ++r) {
            read(columns.subspan((first + r) * width, width), work, work.digits[r]);
        }
        add(work, count);
        finish(work, count, scores.subspan(first * outputs(), count * outputs()));
    }
}

void Engine::scores(std::span<const std::int16_t> columns, std::span<std::int64_t> scores) const {
    score_rows(columns, scores);
}

void Engine::scores(std::span<const std::uint8_t> columns, std::span<std::int64_t> scores) const {
    score_rows(columns, scores);
}

void Engine::scores(std::span<const ColumnValue> row, std::span<std::int64_t> scores) const {
    assert(!signs_);
    Work work(1, 0);
    work.entries.clear(row.size());
    for (const auto& [column, value] : row) {
        if (column < row_of_column_.size() && row_of_column_[column] != kLeftOut) {
            work.entries.push(row_of_column_[column], value);
        }
    }
    first_.write(work.entries, work.digits[0]);
    add(work, 1);
    finish(work, 1, scores);
}

}  // namespace bitbayes::packed
