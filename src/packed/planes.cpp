// Every level is compiled from the same source; on integers all agree exactly.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "packed/planes.cpp"
#define HWY_DISABLED_TARGETS \
    (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "bitbayes/types/error.hpp"
#include "packed/planes.hpp"

HWY_BEFORE_NAMESPACE();
namespace bitbayes::packed::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

constexpr hn::CappedTag<std::uint64_t, kChunkWords / 2> kTag;
using Vector = hn::Vec<decltype(kTag)>;
constexpr std::size_t kWidth = hn::MaxLanes(kTag);

template <class T>
HWY_INLINE void differ(std::span<const T> x, T rest, std::uint64_t* bits) {
    const hn::CappedTag<T, 64> tag;
    constexpr std::size_t lanes = hn::MaxLanes(tag);
    const auto same = hn::Set(tag, rest);
    std::size_t k = 0;
    for (; k + 64 <= x.size(); k += 64) {
        std::uint64_t word = 0;
        for (std::size_t n = 0; n < 64; n += lanes) {
            std::uint64_t mask = 0;
            hn::StoreMaskBits(tag, hn::Ne(hn::LoadU(tag, x.data() + k + n), same),
                              reinterpret_cast<std::uint8_t*>(&mask));
            word |= mask << n;
        }
        bits[k / 64] = word;
    }
    if (k < x.size()) bits[k / 64] = 0;
    for (; k < x.size(); ++k) bits[k / 64] |= std::uint64_t{x[k] != rest} << k % 64;
}

void differ_u8(std::span<const std::uint8_t> x, std::uint8_t rest, std::uint64_t* bits) {
    differ(x, rest, bits);
}
void differ_i16(std::span<const std::int16_t> x, std::int16_t rest, std::uint64_t* bits) {
    differ(x, rest, bits);
}

/// The form without two neighbouring digits has the fewest: d_b of |x| is non-zero where bit b + 1
/// of 3|x| and of |x| differ, and -1 where |x| has that bit.
void write(const InputList& list, std::size_t count, std::uint32_t* rows, Segment& segment) {
    constexpr hn::CappedTag<std::uint32_t, kEntryPadding> tag;
    constexpr hn::RebindToSigned<decltype(tag)> whole;
    constexpr std::size_t lanes = hn::MaxLanes(tag);
    alignas(64) std::uint32_t any[kMaxEntries], negative[kMaxEntries];
    auto used = hn::Zero(tag), D = hn::Zero(tag);
    for (std::size_t k = 0; k < count; k += lanes) {
        const auto x = hn::LoadU(whole, list.value + k);
        const auto size = hn::BitCast(tag, hn::Abs(x));
        const auto half = hn::ShiftRight<1>(size), sum = hn::Add(size, half);
        const auto digits = hn::Xor(half, sum);
        const auto below = hn::BitCast(tag, hn::BroadcastSignBit(x));
        const auto minus = hn::Or(hn::And(below, sum), hn::AndNot(below, half));
        hn::StoreU(digits, tag, any + k);
        hn::StoreU(hn::And(digits, minus), tag, negative + k);
        used = hn::Or(used, digits);
        D = hn::Add(D, digits);
    }
    std::uint32_t used_lanes[lanes], D_lanes[lanes], all_used = 0;
    hn::StoreU(used, tag, used_lanes);
    hn::StoreU(D, tag, D_lanes);
    for (const std::uint32_t lane : used_lanes) all_used |= lane;
    for (const std::uint32_t lane : D_lanes) segment.D += lane;

    std::uint32_t n = segment.begin;
    segment.end[0] = n;
    for (std::size_t b = 0; b + 1 < kDigitPlanes; ++b) {
        if ((all_used >> b & 1) != 0) {
            const auto bit = hn::Set(tag, std::uint32_t{1} << b);
            for (std::size_t k = 0; k < count; k += lanes) {
                const auto minus = hn::TestBit(hn::LoadU(tag, negative + k), bit);
                const auto row = hn::Add(hn::LoadU(tag, list.row + k),
                                         hn::IfThenElseZero(minus, hn::Set(tag, list.inverse)));
                const auto chosen = hn::TestBit(hn::LoadU(tag, any + k), bit);
                hn::StoreU(hn::Compress(row, chosen), tag, rows + n);
                n += static_cast<std::uint32_t>(hn::CountTrue(tag, chosen));
            }
            while (n % kGroup != 0) rows[n++] = list.zeros;
        }
        segment.end[b + 1] = n;
    }
}

/// Several vectors at a time: the processor works on one while another waits.
struct Lanes {
    static constexpr std::size_t kParts = 2, kWords = kParts * kWidth;
    Vector v[kParts];

    HWY_INLINE Lanes() {}  // an implicit one would lack the target's attributes
    static HWY_INLINE Lanes load(const std::uint64_t* p) {
        Lanes r;
        for (std::size_t k = 0; k < kParts; ++k) r.v[k] = hn::LoadU(kTag, p + k * kWidth);
        return r;
    }
    static HWY_INLINE Lanes all(std::uint64_t word) {
        Lanes r;
        for (Vector& part : r.v) part = hn::Set(kTag, word);
        return r;
    }
    HWY_INLINE void store(std::uint64_t* p) const {
        for (std::size_t k = 0; k < kParts; ++k) hn::StoreU(v[k], kTag, p + k * kWidth);
    }
};

HWY_INLINE Lanes majority(const Lanes& a, const Lanes& b, const Lanes& c) {
    Lanes r;
    for (std::size_t k = 0; k < Lanes::kParts; ++k) {
#if HWY_TARGET == HWY_AVX3
        r.v[k] = Vector{_mm512_ternarylogic_epi64(a.v[k].raw, b.v[k].raw, c.v[k].raw, 0xE8)};
#else
        r.v[k] = hn::Xor(a.v[k], hn::And(hn::Xor(a.v[k], b.v[k]), hn::Xor(a.v[k], c.v[k])));
#endif
    }
    return r;
}

/// sum += a + b in its plane; returns the carry.
HWY_INLINE Lanes add_two(Lanes& sum, const Lanes& a, const Lanes& b) {
    const Lanes carry = majority(a, b, sum);
    for (std::size_t k = 0; k < Lanes::kParts; ++k) {
        sum.v[k] = hn::Xor3(a.v[k], b.v[k], sum.v[k]);
    }
    return carry;
}

/// Sums in three planes; numbers are added to the lowest.
struct Sums {
    Lanes one, two, four;

    /// Adds a group of eight; returns the carry into the fourth plane.
    template <class Load>
    HWY_INLINE Lanes add_group(const Load& load) {
        const Lanes a = add_two(one, load(0), load(1)), b = add_two(one, load(2), load(3));
        const Lanes e = add_two(two, a, b);
        const Lanes c = add_two(one, load(4), load(5)), d = add_two(one, load(6), load(7));
        return add_two(four, e, add_two(two, c, d));
    }
};

/// Carries that wait for their plane, at most three planes ahead. A plane of a segment has at most
/// 64 groups of digits, so at most c <= 64 + (c + 7) / 8 carries wait for one plane.
struct Carries {
    static constexpr std::size_t kPlanes = 4, kMaxWaiting = 80;
    std::size_t count[kPlanes] = {};
    alignas(64) std::uint64_t store[kPlanes][kMaxWaiting * Lanes::kWords];

    HWY_INLINE void push(std::size_t plane, const Lanes& carry) {
        const std::size_t p = plane % kPlanes;
        carry.store(store[p] + Lanes::kWords * count[p]++);
    }
};

/// sums = from + sum of the digits.
HWY_INLINE void add_segment(const Segment& segment, const std::uint32_t* digits,
                            const std::uint64_t* rows, std::size_t planes,
                            const std::uint64_t* from, std::uint64_t* sums) {
    Carries carries;
    std::uint32_t k = segment.begin;
    const auto plane_of = [&](std::size_t b)
                              HWY_ATTR { return Lanes::load(from + b * kChunkWords); };
    Sums s{plane_of(0), plane_of(1), plane_of(2)};
    for (std::size_t b = 0; b < planes; ++b) {
        for (const std::uint32_t end = b < kDigitPlanes ? segment.end[b] : k; k < end;
             k += kGroup) {
            carries.push(b + 3, s.add_group([&](std::size_t n) HWY_ATTR {
                return Lanes::load(rows + digits[k + n]);
            }));
        }
        const std::size_t p = b % Carries::kPlanes;
        while (carries.count[p] % kGroup != 0) carries.push(b, Lanes::all(0));
        for (std::size_t first = 0; first < carries.count[p]; first += kGroup) {
            carries.push(b + 3, s.add_group([&](std::size_t n) HWY_ATTR {
                return Lanes::load(carries.store[p] + Lanes::kWords * (first + n));
            }));
        }
        carries.count[p] = 0;
        s.one.store(sums + b * kChunkWords);
        s = {s.two, s.four, plane_of(b + 3)};
    }
}

void add(const PlaneChunk& chunk, const Digits& digits, std::uint64_t* sums,
         std::uint64_t* not_less) {
    for (std::size_t w = 0; w < chunk.words; w += Lanes::kWords) {
        const std::uint64_t* from = chunk.start + w;
        for (const Segment& segment : digits.segments) {
            add_segment(segment, digits.rows.data(), chunk.rows + w, digits.planes, from, sums + w);
            from = sums + w;
        }
        // sum >= D, bit by bit from the lowest; the highest is the sign, inverted on both sides.
        Lanes result = Lanes::all(~std::uint64_t{0});
        for (std::size_t b = 0; b + 1 < digits.planes; ++b) {
            const auto D = static_cast<std::uint64_t>(digits.D) >> b & 1;
            result = majority(Lanes::load(sums + w + b * kChunkWords), Lanes::all(D - 1), result);
        }
        Lanes sign = Lanes::load(sums + w + (digits.planes - 1) * kChunkWords);
        for (Vector& part : sign.v) part = hn::Not(part);
        majority(sign, Lanes::all(0), result).store(not_less + w);
    }
}

std::int64_t equal_bits(std::span<const std::uint64_t> W, const std::uint64_t* v, std::size_t first,
                        std::size_t count) {
    v += first / 64;
    const unsigned shift = first % 64;
    std::int64_t different = 0;
    for (std::size_t k = 0; k < W.size(); ++k) {
        // Two shifts, since a shift by 64 is undefined.
        std::uint64_t bits = v[k] >> shift | v[k + 1] << 1 << (63 - shift);
        bits ^= W[k];
        if (k + 1 == W.size()) bits <<= 63 - (count - 1) % 64;
        different += __builtin_popcountll(bits);
    }
    return static_cast<std::int64_t>(count) - different;
}

const PlaneKernels& table() {
    static const PlaneKernels result{HWY_TARGET == HWY_AVX3   ? "avx512"
                                     : HWY_TARGET == HWY_AVX2 ? "avx2"
                                     : HWY_TARGET == HWY_NEON ? "neon"
                                                              : "scalar",
                                     differ_u8,
                                     differ_i16,
                                     write,
                                     add,
                                     equal_bits};
    return result;
}

}  // namespace bitbayes::packed::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bitbayes::packed {

std::vector<const PlaneKernels*> plane_levels() {
    std::vector<const PlaneKernels*> levels;
#if HWY_ARCH_X86
    const auto runs = hwy::SupportedTargets();
#if (HWY_TARGETS & HWY_AVX3)
    if (runs & HWY_AVX3) levels.push_back(&N_AVX3::table());
#endif
#if (HWY_TARGETS & HWY_AVX2)
    if (runs & HWY_AVX2) levels.push_back(&N_AVX2::table());
#endif
#endif
    if (levels.empty() || &HWY_STATIC_DISPATCH(table)() != levels.back()) {
        levels.push_back(&HWY_STATIC_DISPATCH(table)());
    }
    return levels;
}

const PlaneKernels& best_planes() {
    static const PlaneKernels& chosen = []() -> const PlaneKernels& {
        const auto levels = plane_levels();
        const char* wanted = std::getenv("BITBAYES_SIMD");
        if (wanted == nullptr || *wanted == '\0') return *levels.front();
        for (const PlaneKernels* level : levels) {
            if (wanted == std::string(level->name)) return *level;
        }
        if (wanted == std::string("scalar")) return *levels.back();
        throw Error(ErrorCode::kUnavailable,
                    std::string("BITBAYES_SIMD=") + wanted + " cannot run here",
                    "unset it, then bitbayes backends shows what runs");
    }();
    return chosen;
}

}  // namespace bitbayes::packed
#endif
