// The SIMD levels: sixteen lanes in one to four Highway vectors. Targets without FMA are left out,
// and so is NEON on 32-bit Arm, whose division is not exact; SVE machines run NEON.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/simd.cpp"
#define HWY_DISABLED_TARGETS \
    (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "base/aligned.hpp"
#include "kernels/table.hpp"

#if HWY_ARCH_ARM_V7
#define BITBAYES_SIMD_TARGETS 0
#else
#define BITBAYES_SIMD_TARGETS (HWY_AVX3 | HWY_AVX2 | HWY_NEON)
#endif

#if (HWY_TARGET & BITBAYES_SIMD_TARGETS)
HWY_BEFORE_NAMESPACE();
namespace bitbayes::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

constexpr hn::CappedTag<float, kLanes> kTag;
using Vector = hn::Vec<decltype(kTag)>;
constexpr std::size_t kWidth = hn::MaxLanes(kTag);
constexpr std::size_t kParts = kLanes / kWidth;

// Halves of one vector, added until four lanes are left.
template <class Tag>
BITBAYES_INLINE float total_of(Tag tag, hn::Vec<Tag> v) {
    if constexpr (hn::MaxLanes(tag) > 4) {
        const hn::Half<Tag> half;
        return total_of(half, hn::Add(hn::LowerHalf(half, v), hn::UpperHalf(half, v)));
    } else {
        const auto pairs = hn::Add(v, hn::Shuffle1032(v));
        return hn::GetLane(hn::Add(pairs, hn::Shuffle2301(pairs)));
    }
}

struct Lanes {
    Vector v[kParts];

    Lanes() = default;
    BITBAYES_INLINE explicit Lanes(float value) {
        for (Vector& part : v) part = hn::Set(kTag, value);
    }

    BITBAYES_INLINE static Lanes load(const float* p) {
        Lanes r;
        for (std::size_t k = 0; k < kParts; ++k) r.v[k] = hn::LoadU(kTag, p + k * kWidth);
        return r;
    }
    BITBAYES_INLINE static Lanes load_some(const float* p, std::size_t count) {
        if (HWY_LIKELY(count >= kLanes)) return load(p);
        alignas(64) float some[kLanes] = {};
        std::copy_n(p, count, some);
        return load(some);
    }
    BITBAYES_INLINE static Lanes gather(const float* base, const std::uint32_t* index,
                                        std::size_t count) {
        alignas(64) float some[kLanes] = {};
        for (std::size_t k = 0; k < std::min(count, kLanes); ++k) some[k] = base[index[k]];
        return load(some);
    }
    BITBAYES_INLINE static Lanes ones(std::size_t count) {
        if (HWY_LIKELY(count >= kLanes)) return Lanes(1.0f);
        alignas(64) float some[kLanes] = {};
        std::fill_n(some, count, 1.0f);
        return load(some);
    }
    BITBAYES_INLINE void store(float* p) const {
        for (std::size_t k = 0; k < kParts; ++k) hn::StoreU(v[k], kTag, p + k * kWidth);
    }
    BITBAYES_INLINE void store_some(float* p, std::size_t count) const {
        if (HWY_LIKELY(count >= kLanes)) return store(p);
        alignas(64) float some[kLanes];
        store(some);
        std::copy_n(some, count, p);
    }
    BITBAYES_INLINE void scatter(float* base, const std::uint32_t* index, std::size_t count) const {
        alignas(64) float some[kLanes];
        store(some);
        for (std::size_t k = 0; k < std::min(count, kLanes); ++k) base[index[k]] = some[k];
    }
    BITBAYES_INLINE float largest() const {
        alignas(64) float r[kLanes];
        store(r);
        return *std::max_element(r, r + kLanes);
    }
    BITBAYES_INLINE float smallest() const {
        alignas(64) float r[kLanes];
        store(r);
        return *std::min_element(r, r + kLanes);
    }
    /// Lanes i and i+8, then i and i+4, i and i+2, i and i+1.
    BITBAYES_INLINE float total() const {
        Lanes r = *this;
        for (std::size_t half = kParts / 2; half > 0; half /= 2) {
            for (std::size_t k = 0; k < half; ++k) r.v[k] = hn::Add(r.v[k], r.v[k + half]);
        }
        return total_of(kTag, r.v[0]);
    }
};

#define BITBAYES_LANES(signature, expression)                         \
    BITBAYES_INLINE Lanes signature {                                 \
        Lanes r;                                                      \
        for (std::size_t k = 0; k < kParts; ++k) r.v[k] = expression; \
        return r;                                                     \
    }
BITBAYES_LANES(operator+(const Lanes& a, const Lanes& b), hn::Add(a.v[k], b.v[k]))
BITBAYES_LANES(operator-(const Lanes& a, const Lanes& b), hn::Sub(a.v[k], b.v[k]))
BITBAYES_LANES(operator*(const Lanes& a, const Lanes& b), hn::Mul(a.v[k], b.v[k]))
BITBAYES_LANES(operator/(const Lanes& a, const Lanes& b), hn::Div(a.v[k], b.v[k]))
BITBAYES_LANES(fma(const Lanes& a, const Lanes& b, const Lanes& c),
               hn::MulAdd(a.v[k], b.v[k], c.v[k]))
BITBAYES_LANES(negative_fma(const Lanes& a, const Lanes& b, const Lanes& c),
               hn::NegMulAdd(a.v[k], b.v[k], c.v[k]))
BITBAYES_LANES(abs(const Lanes& a), hn::Abs(a.v[k]))
BITBAYES_LANES(sqrt(const Lanes& a), hn::Sqrt(a.v[k]))
BITBAYES_LANES(min(const Lanes& a, const Lanes& b), hn::Min(a.v[k], b.v[k]))
BITBAYES_LANES(max(const Lanes& a, const Lanes& b), hn::Max(a.v[k], b.v[k]))
BITBAYES_LANES(copy_sign(const Lanes& magnitude, const Lanes& sign),
               hn::CopySign(magnitude.v[k], sign.v[k]))
BITBAYES_LANES(if_negative(const Lanes& test, const Lanes& yes, const Lanes& no),
               hn::IfNegativeThenElse(test.v[k], yes.v[k], no.v[k]))
BITBAYES_LANES(
    power_of_two(const Lanes& shifted),
    hn::BitCast(kTag, hn::Add(hn::ShiftLeft<23>(hn::BitCast(hn::RebindToUnsigned<decltype(kTag)>(),
                                                            shifted.v[k])),
                              hn::Set(hn::RebindToUnsigned<decltype(kTag)>(), 0x3f800000u))))
#undef BITBAYES_LANES

BITBAYES_INLINE bool any_above(const Lanes& a, float limit) {
    auto above = hn::Gt(a.v[0], hn::Set(kTag, limit));
    for (std::size_t k = 1; k < kParts; ++k) {
        above = hn::Or(above, hn::Gt(a.v[k], hn::Set(kTag, limit)));
    }
    return !hn::AllFalse(kTag, above);
}

// The order matters.
// clang-format off
#include "kernels/pair-inl.hpp"
#include "kernels/lane_math-inl.hpp"
#include "kernels/fma_probe-inl.hpp"
#include "kernels/steps-inl.hpp"
#include "kernels/tree_kernels-inl.hpp"
#include "kernels/backprop_math-inl.hpp"
#include "kernels/backprop_kernels-inl.hpp"
#include "kernels/dense_kernels-inl.hpp"
// clang-format on

const KernelTable& table() {
    static const KernelTable result = make_table(HWY_TARGET == HWY_AVX3   ? "avx512"
                                                 : HWY_TARGET == HWY_AVX2 ? "avx2"
                                                                          : "neon");
    return result;
}

}  // namespace bitbayes::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
namespace bitbayes::kernels {

std::vector<const KernelTable*> simd_levels() {
    std::vector<const KernelTable*> levels;
#if HWY_ARCH_X86
    const auto runs = hwy::SupportedTargets();
#if (HWY_TARGETS & HWY_AVX3)
    if (runs & HWY_AVX3) levels.push_back(&N_AVX3::table());
#endif
#if (HWY_TARGETS & HWY_AVX2)
    if (runs & HWY_AVX2) levels.push_back(&N_AVX2::table());
#endif
#elif HWY_ARCH_ARM_A64 && (HWY_TARGETS & HWY_NEON)
    levels.push_back(&N_NEON::table());  // part of every AArch64 processor
#endif
    return levels;
}

}  // namespace bitbayes::kernels
#endif
