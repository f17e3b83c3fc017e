// Every level is the same source: whole numbers, so all agree.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "packed/planes.cpp"
#define HWY_DISABLED_TARGETS \
    (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "packed/planes.hpp"

HWY_BEFORE_NAMESPACE();
namespace bitbayes::packed::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

constexpr hn::CappedTag<std::uint64_t, kChunkWords> kTag;
using Vector = hn::Vec<decltype(kTag)>;
constexpr std::size_t kWidth = hn::MaxLanes(kTag);

HWY_INLINE Vector majority(Vector a, Vector b, Vector c) {
#if HWY_TARGET == HWY_AVX3
    return Vector{_mm512_ternarylogic_epi64(a.raw, b.raw, c.raw, 0xE8)};
#else
    return hn::Or(hn::And(a, b), hn::And(c, hn::Xor(a, b)));
#endif
}

/// sum + a + b: the new sum, and the carry that is returned.
HWY_INLINE Vector add_two(Vector& sum, Vector a, Vector b) {
    const Vector carry = majority(sum, a, b);
    sum = hn::Xor3(sum, a, b);
    return carry;
}

/// Three planes of sums, while numbers are added to the lowest.
struct Sums {
    Vector one, two, four;

    /// The carry into the fourth plane.
    template <class Load>
    HWY_INLINE Vector add_group(const Load& load) {
        const Vector a = add_two(one, load(0), load(1)), b = add_two(one, load(2), load(3));
        const Vector e = add_two(two, a, b);
        const Vector c = add_two(one, load(4), load(5)), d = add_two(one, load(6), load(7));
        return add_two(four, e, add_two(two, c, d));
    }
};

/// Vectors that wait for their plane, three planes ahead at most. A segment has at most
/// (kMostEntries + kGroup) / kGroup groups in a plane, these c <= 65 + (c + 7) / 8.
class Carries {
  public:
    HWY_INLINE void push(std::size_t plane, Vector v) {
        const std::size_t ring = plane % kRing;
        hn::StoreU(v, kTag, store_[ring] + kWidth * count_[ring]++);
    }
    /// Whole groups.
    HWY_INLINE std::size_t pad(std::size_t plane) {
        const std::size_t ring = plane % kRing;
        while (count_[ring] % kGroup != 0) push(plane, hn::Zero(kTag));
        return count_[ring];
    }
    HWY_INLINE const std::uint64_t* data(std::size_t plane) const { return store_[plane % kRing]; }
    HWY_INLINE void clear(std::size_t plane) { count_[plane % kRing] = 0; }

  private:
    static constexpr std::size_t kRing = 4, kMost = 80;
    std::size_t count_[kRing] = {};
    alignas(64) std::uint64_t store_[kRing][kMost * kWidth];
};

/// One vector of neurons; `sums` has three planes more than are wanted.
HWY_INLINE void add_segment(const Segment& segment, const std::uint32_t* digits,
                            const std::uint64_t* rows, std::size_t planes, Vector* sums) {
    Carries carries;
    std::uint32_t k = segment.begin;
    for (std::size_t b = 0; b < planes; ++b) {
        Sums s{sums[b], sums[b + 1], sums[b + 2]};
        for (const std::uint32_t end = b < kDigitPlanes ? segment.end[b] : k; k < end;
             k += kGroup) {
            carries.push(b + 3, s.add_group([&](std::size_t n) HWY_ATTR {
                return hn::LoadU(kTag, rows + kChunkWords * digits[k + n]);
            }));
        }
        const std::size_t waiting = carries.pad(b);
        for (std::size_t first = 0; first < waiting; first += kGroup) {
            carries.push(b + 3, s.add_group([&](std::size_t n) HWY_ATTR {
                return hn::LoadU(kTag, carries.data(b) + kWidth * (first + n));
            }));
        }
        carries.clear(b);
        sums[b] = s.one, sums[b + 1] = s.two, sums[b + 2] = s.four;
    }
}

void add(const PlaneChunk& chunk, const Digits& digits, std::uint64_t* sums,
         std::uint64_t* positive) {
    const std::size_t planes = chunk.planes;
    for (std::size_t w = 0; w < chunk.words; w += kWidth) {
        Vector s[kMostPlanes + 3];
        for (std::size_t b = 0; b < planes; ++b) {
            s[b] = hn::LoadU(kTag, chunk.start + b * kChunkWords + w);
        }
        for (std::size_t b = planes; b < planes + 3; ++b) s[b] = hn::Zero(kTag);
        for (const Segment& segment : digits.segments) {
            add_segment(segment, digits.rows.data(), chunk.rows + w, planes, s);
        }
        // s >= D bit by bit from the lowest; the highest is the sign, inverted on both sides.
        auto not_less = hn::Not(hn::Zero(kTag));
        for (std::size_t b = 0; b < planes; ++b) {
            const bool top = b + 1 == planes;
            const auto D = static_cast<std::uint64_t>(digits.D) >> b & 1;
            const Vector not_D = hn::Set(kTag, (D != 0) == top ? ~std::uint64_t{0} : 0);
            not_less = majority(top ? hn::Not(s[b]) : s[b], not_D, not_less);
        }
        hn::StoreU(not_less, kTag, positive + w);
        if (sums == nullptr) continue;
        for (std::size_t b = 0; b < planes; ++b) {
            hn::StoreU(s[b], kTag, sums + b * kChunkWords + w);
        }
    }
}

std::int64_t equal_bits(std::span<const std::uint64_t> W, const std::uint64_t* v, std::size_t first,
                        std::size_t count) {
    v += first / 64;
    const unsigned shift = first % 64;
    std::int64_t different = 0;
    for (std::size_t k = 0; k < W.size(); ++k) {
        // Twice, since a shift by 64 is not defined.
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
                                     add, equal_bits};
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
        for (const PlaneKernels* level : levels) {
            if (wanted != nullptr && std::string(wanted) == level->name) return *level;
        }
        return *levels.front();
    }();
    return chosen;
}

}  // namespace bitbayes::packed
#endif
