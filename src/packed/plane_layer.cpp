#include "packed/plane_layer.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstdlib>
#include <iterator>

namespace bitbayes::packed {
namespace {

/// Planes of two's complement numbers from -size to size.
std::size_t planes_for(std::int64_t size) {
    return std::bit_width(static_cast<std::uint64_t>(size)) + 1u;
}

void read_sums(std::size_t count, const Digits& digits, const std::uint64_t* planes,
               std::int64_t* sums) {
    const unsigned unused = 64 - static_cast<unsigned>(digits.planes);
    for (std::size_t i = 0; i < count; ++i) {
        std::uint64_t bits = 0;
        for (std::size_t b = 0; b < digits.planes; ++b) {
            bits |= (planes[b * kChunkWords + i / 64] >> i % 64 & 1) << b;
        }
        sums[i] = (static_cast<std::int64_t>(bits << unused) >> unused) - digits.D;
    }
}

}  // namespace

PlaneLayer::PlaneLayer(const std::vector<const Layer*>& layers, bool signs,
                       std::int64_t largest_input, const PlaneKernels& kernels)
    : kernels_(kernels),
      signs_(signs),
      inputs_(layers[0]->fan_in),
      layer_words_((layers[0]->neurons + 63) / 64),
      words_(layer_words_ * layers.size()),
      chunks_((words_ + kChunkWords - 1) / kChunkWords),
      row_words_(std::min(kChunkWords, words_)),
      stride_(signs ? row_words_ : 2 * row_words_),
      digit_planes_(signs ? 1 : planes_for(largest_input)) {
    assert(chunk_size() < UINT32_MAX);
    rows_.assign(chunks_ * chunk_size() + kChunkWords, 0);
    start_.assign(chunks_ * kStoredPlanes * kChunkWords, 0);
    for (std::size_t n = 0; n < layers.size(); ++n) add_layer(*layers[n], n * layer_words_);
}

void PlaneLayer::add_layer(const Layer& layer, std::size_t first_word) {
    for (std::size_t first = 0; first < layer.neurons; first += 64) {
        const std::size_t word = first_word + first / 64;
        const std::size_t chunk = word / kChunkWords, at = word % kChunkWords;
        const std::size_t neurons = std::min<std::size_t>(64, layer.neurons - first);
        std::uint64_t* rows = rows_.data() + chunk * chunk_size() + at;
        for (std::size_t k = 0; k < layer.fan_in; ++k) {
            std::uint64_t V = 0;
            for (std::size_t i = 0; i < neurons; ++i) {
                V |= std::uint64_t{layer.weight(first + i, k) > 0} << i;
            }
            rows[row_of(k)] = V;
            if (!signs_) rows[row_of(k) + row_words_] = ~V;
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
std::int64_t PlaneLayer::threshold(const Layer& layer, std::size_t neuron) const {
    if (!signs_) return layer.threshold[neuron];
    std::int64_t positive = 0;
    for (const std::uint64_t word : layer.row(neuron)) positive += std::popcount(word);
    return layer.threshold[neuron] + 2 * positive - static_cast<std::int64_t>(layer.fan_in);
}

void PlaneLayer::write(InputEntries& entries, Digits& digits) const {
    std::fill_n(entries.value.begin() + static_cast<std::ptrdiff_t>(entries.count), kEntryPadding,
                0);
    digits.segments.clear();
    digits.D = 0;
    std::uint32_t end = 0;
    for (std::size_t first = 0; first == 0 || first < entries.count; first += kMaxEntries) {
        Segment& segment = digits.segments.emplace_back();
        segment.begin = end;
        const std::size_t count = std::min(kMaxEntries, entries.count - first);
        const std::size_t max_end = end + digit_planes_ * (count + kGroup) + kEntryPadding;
        if (digits.rows.size() < max_end) digits.rows.resize(max_end);
        kernels_.write({entries.row.data() + first, entries.value.data() + first,
                        static_cast<std::uint32_t>(row_words_), row_of(inputs_)},
                       count, digits.rows.data(), segment);
        end = segment.end[kDigitPlanes - 1];
        digits.D += segment.D;
    }
    digits.planes = planes_for(2 * digits.D + largest_start_);
}

void PlaneLayer::write(const std::uint64_t* signs, Digits& digits) const {
    if (digits.rows.size() < inputs_ + kGroup) digits.rows.resize(inputs_ + kGroup);
    std::uint32_t n = 0;
    for (std::size_t first = 0; first < inputs_; first += 64) {
        std::uint64_t bits = signs[first / 64];
        if (inputs_ - first < 64) bits &= (std::uint64_t{1} << (inputs_ - first)) - 1;
        for (; bits != 0; bits &= bits - 1) {
            digits.rows[n++] = row_of(first + static_cast<std::size_t>(std::countr_zero(bits)));
        }
    }
    digits.D = 2 * std::int64_t{n};
    while (n % kGroup != 0) digits.rows[n++] = row_of(inputs_);
    // A digit of 2 is added as 4, in plane 2.
    digits.segments.clear();
    for (std::uint32_t begin = 0; begin == 0 || begin < n; begin += kMaxEntries) {
        Segment& segment = digits.segments.emplace_back();
        segment.begin = begin;
        std::fill_n(segment.end, 2, begin);
        std::fill(segment.end + 2, std::end(segment.end),
                  std::min<std::uint32_t>(n, begin + kMaxEntries));
    }
    digits.planes = planes_for(2 * digits.D + largest_start_);
}

void PlaneLayer::add(std::span<const Digits> rows, std::uint64_t* signs, std::int64_t* sums) const {
    std::uint64_t planes[kStoredPlanes * kChunkWords] = {};
    for (std::size_t n = 0; n < chunks_; ++n) {
        const std::size_t first = n * kChunkWords;
        const PlaneChunk chunk{rows_.data() + n * chunk_size(),
                               start_.data() + n * kStoredPlanes * kChunkWords,
                               std::min(kChunkWords, words_ - first)};
        for (std::size_t r = 0; r < rows.size(); ++r) {
            const std::size_t at = r * sign_words() + first;
            kernels_.add(chunk, rows[r], planes, signs + at);
            if (sums != nullptr) read_sums(64 * chunk.words, rows[r], planes, sums + 64 * at);
        }
    }
}

}  // namespace bitbayes::packed
