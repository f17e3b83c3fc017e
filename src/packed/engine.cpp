#include "packed/engine.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstdlib>

namespace bitbayes::packed {
namespace {

/// Rows that go through a chunk of neurons together while it is in the cache: at most kMaxRows, and
/// at most kMaxDigits digits unless it is a single row.
constexpr std::size_t kMaxRows = 32, kMaxDigits = 1 << 20;

/// Planes of two's complement numbers from -size to size.
std::size_t planes_for(std::int64_t size) {
    return std::bit_width(static_cast<std::uint64_t>(size)) + 1u;
}

}  // namespace

struct Engine::Work {
    std::vector<std::uint64_t> set;  // bits of the columns that are not 0
    std::vector<std::uint32_t> row;  // rows of the inputs that are not 0
    std::vector<std::int32_t> value;
    std::size_t count = 0;
    std::vector<Digits> digits;      // per row
    std::vector<std::uint64_t> v;    // per row: layer 1's signs
    std::vector<std::int64_t> sums;  // per row: layer 1's sums, if it is the only layer

    explicit Work(std::size_t rows, std::size_t columns, std::size_t inputs)
        : set((columns + 63) / 64),
          row(inputs + kEntryPadding),
          value(inputs + kEntryPadding),
          digits(rows) {}

    void push(std::uint32_t input_row, std::int32_t x) {
        row[count] = input_row;
        value[count] = x;
        count += x != 0;
    }
};

Engine::Engine(const Network& network, const PlaneKernels& kernels)
    : network_(network), kernels_(kernels) {
    const std::size_t inputs = network.inputs(), members = network.members.size();
    signs_ = !network.comparator.empty() || network.quantiser.type == ColumnType::kSign;
    const auto [low, high] = range_of(network.quantiser.type);
    digit_planes_ = signs_ ? 1 : planes_for(std::max(-low, high));
    member_words_ = (network.members[0][0].neurons + 63) / 64;
    chunks_ = (member_words_ * members + kChunkWords - 1) / kChunkWords;
    row_words_ = std::min(kChunkWords, member_words_ * members);
    for (std::size_t k = 0; !network.table.categories.empty() && k < inputs; ++k) {
        asks_for_word_.push_back(network.asks_for_word(k));
    }
    row_of_column_.assign(network.quantiser.columns(), kLeftOut);
    for (std::size_t k = 0; k < inputs; ++k) row_of_column_[network.column[k]] = row_of(k);
    assert(chunk_size() < kLeftOut);
    rows_.assign(chunks_ * chunk_size() + kChunkWords, 0);
    start_.assign(chunks_ * kStoredPlanes * kChunkWords, 0);
    for (std::size_t m = 0; m < members; ++m) add_member(m);
}

void Engine::add_member(std::size_t member) {
    const Layer& layer = network_.members[member][0];
    for (std::size_t first = 0; first < layer.neurons; first += 64) {
        const std::size_t word = member * member_words_ + first / 64;
        const std::size_t chunk = word / kChunkWords, at = word % kChunkWords;
        const std::size_t neurons = std::min<std::size_t>(64, layer.neurons - first);
        std::uint64_t* rows = rows_.data() + chunk * chunk_size() + at;
        for (std::size_t k = 0; k < layer.fan_in; ++k) {
            std::uint64_t V = 0;
            for (std::size_t i = 0; i < neurons; ++i) {
                V |= std::uint64_t{layer.weight(first + i, k) > 0} << i;
            }
            rows[row_of(k)] = V;
            rows[row_of(k) + row_words_] = ~V;
        }
        for (std::size_t i = 0; i < neurons; ++i) {
            const std::int64_t start = -threshold(layer, first + i);
            largest_start_ = std::max(largest_start_, std::abs(start));
            for (std::size_t b = 0; b < kMaxPlanes; ++b) {
                start_[(chunk * kStoredPlanes + b) * kChunkWords + at] |=
                    static_cast<std::uint64_t>(start >> b & 1) << i;
            }
        }
    }
}

/// Inputs +-1 = 2 b - 1 are added as 2 b, so the threshold grows by sum_k W_k.
std::int64_t Engine::threshold(const Layer& layer, std::size_t neuron) const {
    if (!signs_) return layer.threshold[neuron];
    std::int64_t positive = 0;
    for (const std::uint64_t word : layer.row(neuron)) positive += std::popcount(word);
    return layer.threshold[neuron] + 2 * positive - static_cast<std::int64_t>(layer.fan_in);
}

/// Writes the inputs that are not 0 as digits.
template <class T>
void Engine::read(std::span<const T> columns, Work& work, Digits& digits) const {
    work.count = 0;
    if (!network_.comparator.empty()) {
        for (std::size_t k = 0; k < network_.inputs(); ++k) {
            const int c = columns[network_.column[k]], limit = network_.comparator[k];
            const bool word = !asks_for_word_.empty() && asks_for_word_[k] != 0;
            work.push(row_of(k), (word ? c == limit : c > limit) ? 2 : 0);
        }
        return write(work, digits);
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
            if (row != kLeftOut) work.push(row, signs_ ? 2 : columns[c]);
        }
    }
    write(work, digits);
}

void Engine::write(Work& work, Digits& digits) const {
    std::fill_n(work.value.begin() + static_cast<std::ptrdiff_t>(work.count), kEntryPadding, 0);
    digits.segments.clear();
    digits.D = 0;
    std::uint32_t end = 0;
    for (std::size_t first = 0; first == 0 || first < work.count; first += kMaxEntries) {
        Segment& segment = digits.segments.emplace_back();
        segment.begin = end;
        const std::size_t count = std::min(kMaxEntries, work.count - first);
        const std::size_t max_end = end + digit_planes_ * (count + kGroup) + kEntryPadding;
        if (digits.rows.size() < max_end) digits.rows.resize(max_end);
        kernels_.write({work.row.data() + first, work.value.data() + first,
                        static_cast<std::uint32_t>(row_words_), row_of(network_.inputs())},
                       count, digits.rows.data(), segment);
        end = segment.end[kDigitPlanes - 1];
        digits.D += segment.D;
    }
    digits.planes = planes_for(2 * digits.D + largest_start_);
}

/// Layer 1, chunk by chunk.
void Engine::add(Work& work, std::size_t rows) const {
    const std::size_t words = member_words_ * network_.members.size(), stride = sign_words();
    work.v.resize(rows * stride);
    if (one_layer()) work.sums.resize(rows * stride * 64);
    std::uint64_t planes[kStoredPlanes * kChunkWords] = {};
    for (std::size_t n = 0; n < chunks_; ++n) {
        const std::size_t first = n * kChunkWords;
        const PlaneChunk chunk{rows_.data() + n * chunk_size(),
                               start_.data() + n * kStoredPlanes * kChunkWords,
                               std::min(kChunkWords, words - first)};
        for (std::size_t r = 0; r < rows; ++r) {
            const std::size_t at = r * stride + first;
            kernels_.add(chunk, work.digits[r], planes, work.v.data() + at);
            if (one_layer()) {
                read_sums(chunk, work.digits[r], planes, work.sums.data() + 64 * at);
            }
        }
    }
}

/// The layers above, row by row.
void Engine::finish(Work& work, std::size_t rows, std::span<std::int64_t> scores) const {
    const std::size_t members = network_.members.size(), stride = sign_words();
    std::vector<std::int64_t> votes(members > 1 ? outputs() : 0);
    for (std::size_t r = 0; r < rows; ++r) {
        const auto result = scores.subspan(r * outputs(), outputs());
        std::fill(result.begin(), result.end(), 0);
        for (std::size_t m = 0; m < members; ++m) {
            const std::size_t at = r * stride + m * member_words_;
            const std::span<std::int64_t> own = members > 1 ? std::span(votes) : result;
            if (one_layer()) {
                std::copy_n(work.sums.data() + 64 * at, outputs(), own.data());
            } else {
                member_scores(m, work.v.data() + at, own);
            }
            if (members > 1) Network::vote(own, result);
        }
    }
}

void Engine::read_sums(const PlaneChunk& chunk, const Digits& digits, const std::uint64_t* planes,
                       std::int64_t* sums) const {
    const unsigned unused = 64 - static_cast<unsigned>(digits.planes);
    for (std::size_t i = 0; i < 64 * chunk.words; ++i) {
        std::uint64_t bits = 0;
        for (std::size_t b = 0; b < digits.planes; ++b) {
            bits |= (planes[b * kChunkWords + i / 64] >> i % 64 & 1) << b;
        }
        sums[i] = (static_cast<std::int64_t>(bits << unused) >> unused) - digits.D;
    }
}

void Engine::member_scores(std::size_t member, const std::uint64_t* v,
                           std::span<std::int64_t> scores) const {
    const auto layers = std::span(network_.members[member]).subspan(1);
    std::vector<std::uint64_t> below, signs;
    for (const Layer& layer : layers) {
        const bool last = &layer == &layers.back();
        if (!last) signs.assign(layer.neurons / 64 + 2, 0);
        for (std::size_t i = 0; i < layer.neurons; ++i) {
            const std::size_t first = layer.reads_all ? 0 : i * layer.fan_in;
            const auto equal = kernels_.equal_bits(layer.row(i), v, first, layer.fan_in);
            const std::int64_t t = layer.reads_all ? layer.threshold[i] : 0;
            const std::int64_t sum = 2 * equal - static_cast<std::int64_t>(layer.fan_in) - t;
            if (last) {
                scores[i] = sum;
            } else {
                signs[i / 64] |= static_cast<std::uint64_t>(sum >= 0) << i % 64;
            }
        }
        below.swap(signs);
        v = below.data();
    }
}

template <class T>
void Engine::score_rows(std::span<const T> columns, std::span<std::int64_t> scores) const {
    const std::size_t width = network_.quantiser.columns(), rows = scores.size() / outputs();
    assert(columns.size() == rows * width);
    const std::size_t max_rows =
        std::clamp<std::size_t>(kMaxDigits / (network_.inputs() * digit_planes_ + 1), 1, kMaxRows);
    Work work(std::min(rows, max_rows), width, network_.inputs());
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
    Work work(1, 0, row.size());
    for (const auto& [column, value] : row) {
        if (column < row_of_column_.size() && row_of_column_[column] != kLeftOut) {
            work.push(row_of_column_[column], value);
        }
    }
    write(work, work.digits[0]);
    add(work, 1);
    finish(work, 1, scores);
}

}  // namespace bitbayes::packed
