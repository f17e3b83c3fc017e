#include "packed/engine.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstdlib>

namespace bitbayes::packed {
namespace {

/// Rows that go through a chunk of neurons together, while it is in the cache.
constexpr std::size_t kRows = 32;

/// The digits of the signed form without two neighbours: few, and the same number for x and -x.
struct SignedDigits {
    std::uint32_t any, negative;  // bit b: d_b is not 0, is -1
};

SignedDigits signed_digits(std::int32_t x) {
    const auto size = static_cast<std::uint32_t>(std::abs(x));
    const std::uint32_t half = size >> 1, sum = size + half, any = half ^ sum;
    return {any, any & (x < 0 ? sum : half)};
}

std::size_t round_up(std::size_t n, std::size_t to) { return (n + to - 1) / to * to; }

}  // namespace

struct Engine::Work {
    std::vector<Digits> digits = std::vector<Digits>(kRows);
    AlignedVector<std::uint64_t> v;  // per row: layer 1's signs
    std::vector<std::int64_t> sums;  // one layer: instead of the signs
};

Engine::Engine(const Network& network, const PlaneKernels& kernels)
    : network_(network), kernels_(kernels) {
    const Layer& first = network.members.front().front();
    const std::size_t inputs = network.inputs();
    signs_ = !network.comparator.empty() || network.quantiser.type == ColumnType::kSign;
    input_of_.assign(network.quantiser.columns(), static_cast<std::uint32_t>(inputs));
    for (std::size_t k = 0; k < inputs; ++k) {
        input_of_[network.column[k]] = static_cast<std::uint32_t>(k);
    }
    member_words_ = (first.neurons + 63) / 64;
    // D is at most 5/3 of the inputs' sizes, and it is counted twice; for signs ten thirds of that.
    planes_ = std::bit_width(static_cast<std::uint64_t>(6 * network.largest_sum() + 1)) + 1;
    const std::size_t chunks =
        round_up(member_words_ * network.members.size(), kChunkWords) / kChunkWords;
    const std::size_t chunk_rows = 2 * inputs + 1;
    rows_.assign(chunks * chunk_rows * kChunkWords, 0);
    start_.assign(chunks * planes_ * kChunkWords, 0);
    for (std::size_t m = 0; m < network.members.size(); ++m) {
        const Layer& layer = network.members[m].front();
        for (std::size_t i = 0; i < layer.neurons; ++i) {
            const std::size_t word = m * member_words_ + i / 64;
            const std::size_t chunk = word / kChunkWords, at = word % kChunkWords;
            const auto bit = std::uint64_t{1} << i % 64;
            std::int64_t t = layer.threshold[i];
            for (std::size_t k = 0; k < inputs; ++k) {
                const int W = layer.weight(i, k);
                rows_[(chunk * chunk_rows + 2 * k + (W < 0)) * kChunkWords + at] |= bit;
                if (signs_) t += W;
            }
            for (std::size_t b = 0; b < planes_; ++b) {
                if ((-t >> b & 1) != 0) start_[(chunk * planes_ + b) * kChunkWords + at] |= bit;
            }
        }
    }
}

template <class T>
void Engine::collect(const T* columns, std::vector<Entry>& entries) const {
    const std::size_t inputs = network_.inputs();
    entries.resize(inputs);
    std::size_t count = 0;
    for (std::size_t k = 0; k < inputs; ++k) {
        std::int32_t x = columns[network_.column[k]];
        if (signs_) x = x > (network_.comparator.empty() ? 0 : network_.comparator[k]) ? 2 : 0;
        entries[count] = {static_cast<std::uint32_t>(k), x};
        count += x != 0;
    }
    entries.resize(count);
}

void Engine::write(std::span<const Entry> entries, Digits& digits) const {
    digits.segments.clear();
    digits.rows.clear();
    digits.D = 0;
    const auto zeros = static_cast<std::uint32_t>(2 * network_.inputs());
    for (std::size_t first = 0; first < entries.size(); first += kMostEntries) {
        const auto some = entries.subspan(first, std::min(kMostEntries, entries.size() - first));
        Segment& segment = digits.segments.emplace_back();
        std::size_t n = digits.rows.size();
        segment.begin = static_cast<std::uint32_t>(n);
        SignedDigits list[kMostEntries];
        std::uint32_t used = 0;
        for (std::size_t k = 0; k < some.size(); ++k) {
            list[k] = signed_digits(some[k].value);
            used |= list[k].any;
            digits.D += list[k].any;
        }
        segment.end[0] = segment.begin;
        for (std::size_t b = 0; b + 1 < kDigitPlanes; ++b) {
            if ((used >> b & 1) != 0) {
                digits.rows.resize(n + some.size() + kGroup);
                for (std::size_t k = 0; k < some.size(); ++k) {
                    digits.rows[n] = 2 * some[k].input + (list[k].negative >> b & 1);
                    n += list[k].any >> b & 1;
                }
                while (n % kGroup != 0) digits.rows[n++] = zeros;
            }
            segment.end[b + 1] = static_cast<std::uint32_t>(n);
        }
        digits.rows.resize(n);
    }
}

void Engine::run(Work& work, std::size_t rows, std::span<std::int64_t> scores) const {
    const std::size_t words = member_words_ * network_.members.size();
    const std::size_t stride = round_up(words, kChunkWords) + kChunkWords;
    const bool one_layer = network_.members.front().size() == 1;
    work.v.resize(rows * stride);
    if (one_layer) work.sums.resize(rows * words * 64);
    alignas(64) std::uint64_t sums[kMostPlanes * kChunkWords];
    for (std::size_t word = 0; word < words; word += kChunkWords) {
        const std::size_t chunk = word / kChunkWords;
        const PlaneChunk part{rows_.data() + chunk * (2 * network_.inputs() + 1) * kChunkWords,
                              start_.data() + chunk * planes_ * kChunkWords,
                              std::min(kChunkWords, words - word), planes_};
        for (std::size_t r = 0; r < rows; ++r) {
            kernels_.add(part, work.digits[r], one_layer ? sums : nullptr,
                         work.v.data() + r * stride + word);
            if (!one_layer) continue;
            for (std::size_t i = 0; i < part.words * 64; ++i) {
                std::uint64_t s = 0;
                for (std::size_t b = 0; b < planes_; ++b) {
                    s |= (sums[b * kChunkWords + i / 64] >> i % 64 & 1) << b;
                }
                const unsigned unused = 64 - static_cast<unsigned>(planes_);
                work.sums[(r * words + word) * 64 + i] =
                    (static_cast<std::int64_t>(s << unused) >> unused) - work.digits[r].D;
            }
        }
    }
    std::vector<std::int64_t> member(outputs());
    for (std::size_t r = 0; r < rows; ++r) {
        const auto row_scores = scores.subspan(r * outputs(), outputs());
        std::fill(row_scores.begin(), row_scores.end(), 0);
        for (std::size_t m = 0; m < network_.members.size(); ++m) {
            const auto target = network_.members.size() == 1 ? row_scores : std::span(member);
            if (one_layer) {
                std::copy_n(work.sums.data() + (r * words + m * member_words_) * 64, outputs(),
                            target.data());
            } else {
                member_scores(m, work.v.data() + r * stride + m * member_words_, target);
            }
            if (network_.members.size() > 1) Network::vote(member, row_scores);
        }
    }
}

void Engine::member_scores(std::size_t member, const std::uint64_t* v,
                           std::span<std::int64_t> scores) const {
    const auto layers = std::span(network_.members[member]).subspan(1);
    std::vector<std::uint64_t> below, signs;
    for (const Layer& layer : layers) {
        const bool last = &layer == &layers.back();
        if (!last) signs.assign(layer.neurons / 64 + 2, 0);  // equal_bits looks one word ahead
        for (std::size_t i = 0; i < layer.neurons; ++i) {
            const std::size_t first = layer.reads_all ? 0 : i * layer.fan_in;
            const auto equal = kernels_.equal_bits(layer.row(i), v, first, layer.fan_in);
            const std::int64_t sum = 2 * equal - static_cast<std::int64_t>(layer.fan_in);
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
    Work work;
    std::vector<Entry> entries;
    for (std::size_t first = 0; first < rows; first += kRows) {
        const std::size_t some = std::min(kRows, rows - first);
        for (std::size_t r = 0; r < some; ++r) {
            collect(columns.data() + (first + r) * width, entries);
            write(entries, work.digits[r]);
        }
        run(work, some, scores.subspan(first * outputs(), some * outputs()));
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
    std::vector<Entry> entries;
    for (const auto& [column, value] : row) {
        if (column < input_of_.size() && input_of_[column] < network_.inputs() && value != 0) {
            entries.push_back({input_of_[column], value});
        }
    }
    Work work;
    write(entries, work.digits[0]);
    run(work, 1, scores);
}

}  // namespace bitbayes::packed
