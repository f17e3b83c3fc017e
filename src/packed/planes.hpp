// Layer 1 by bit planes: whole numbers of many neurons side by side, plane b holding bit b of each, so
// that one logical instruction works on 64 to 512 neurons and no weight is ever widened.
//
// An input is a sum of signed powers of two, x = sum_b d_b 2^b with d_b in {-1, 0, +1}. With V the
// bit of a weight (1 is +1), inverted where d_b = -1,
//   W x = sum_b 2^b (2 V - 1)   so   sum_k W_ik x_k = sum 2^(b+1) V - D,   D = sum 2^b,
// sums over the digits that are not 0: an input of 0 costs nothing. A carry-save adder turns three
// vectors of one plane into one of the same plane (xor) and one of the next (majority), so n digits
// need about n adders. All sums are modulo 2^planes, two's complement.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace bitbayes::packed {

/// Neurons are processed in chunks of kChunk: 16 words, two cache lines.
inline constexpr std::size_t kChunk = 1024;
inline constexpr std::size_t kChunkWords = kChunk / 64;
/// Digits of a plane are added in groups of kGroup, padded with rows of zeros.
inline constexpr std::size_t kGroup = 8;
/// At most kMaxEntries inputs per segment; lists of inputs have room for kEntryPadding more.
inline constexpr std::size_t kMaxEntries = 512, kEntryPadding = 16;
/// Planes of the digits: up to 2^16, each added as 2^(b+1).
inline constexpr std::size_t kDigitPlanes = 18;
/// Planes of the sums, and three more that loops read ahead.
inline constexpr std::size_t kMaxPlanes = 64, kStoredPlanes = kMaxPlanes + 3;

/// The digits of a few inputs: plane b has the rows from end[b - 1] to end[b], whole groups.
struct Segment {
    std::uint32_t begin = 0;
    std::uint32_t end[kDigitPlanes] = {};
    std::int64_t D = 0;
};

/// The digits of a row of inputs.
struct Digits {
    std::vector<Segment> segments;
    std::vector<std::uint32_t> rows;  // words from the start of a chunk's rows
    std::int64_t D = 0;
    std::size_t planes = 0;  // needed for the sums
};

/// A chunk of neurons. `rows`: V of an input per row, `words` or more apart, and readable for
/// kChunkWords from there; `start`: kStoredPlanes planes of -t, kChunkWords words each.
struct PlaneChunk {
    const std::uint64_t* rows = nullptr;
    const std::uint64_t* start = nullptr;
    std::size_t words = kChunkWords;  // that hold neurons
};

/// Inputs and their rows.
struct InputList {
    const std::uint32_t* row = nullptr;  // of V
    const std::int32_t* value = nullptr;
    std::uint32_t inverse = 0;  // offset from V to its inverse
    std::uint32_t zeros = 0;    // a row of zeros, for padding
};

struct PlaneKernels {
    const char* name;
    /// Sets the bits of the values that differ from `rest`.
    void (*differ_u8)(std::span<const std::uint8_t> x, std::uint8_t rest, std::uint64_t* bits);
    void (*differ_i16)(std::span<const std::int16_t> x, std::int16_t rest, std::uint64_t* bits);
    /// Writes the digits of `count` inputs to `rows` from segment.begin on.
    void (*write)(const InputList& list, std::size_t count, std::uint32_t* rows, Segment& segment);
    /// sums: planes of sum 2^(b+1) V - t, with room for kStoredPlanes; not_less: bits of the
    /// neurons where that is >= D. Needs at least one segment.
    void (*add)(const PlaneChunk&, const Digits&, std::uint64_t* sums, std::uint64_t* not_less);
    /// How many of the `count` bits of W equal those of v from bit `first` on.
    std::int64_t (*equal_bits)(std::span<const std::uint64_t> W, const std::uint64_t* v,
                               std::size_t first, std::size_t count);
};

/// What was compiled in and runs here, best first.
std::vector<const PlaneKernels*> plane_levels();
/// The best, or the one that BITBAYES_SIMD names ("scalar": the lowest compiled in). Throws
/// Error(kUnavailable) if that one cannot run here.
const PlaneKernels& best_planes();

}  // namespace bitbayes::packed
