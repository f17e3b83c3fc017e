// The loop of Inference for every instruction set that Highway knows; whole numbers, so all agree.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "packed/accumulate.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "packed/inference.hpp"

HWY_BEFORE_NAMESPACE();
namespace bitbayes::packed::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR

void accumulate(std::span<const Entry> entries, const std::uint8_t* bits, std::size_t stride,
                std::span<std::int32_t> P) {
    for (const Entry& entry : entries) {
        const std::uint8_t* row = bits + entry.input * stride;
        for (std::size_t i = 0; i < P.size(); ++i) P[i] += (row[i / 8] >> i % 8 & 1) * entry.value;
    }
}

#else

namespace hn = hwy::HWY_NAMESPACE;

void accumulate(std::span<const Entry> entries, const std::uint8_t* bits, std::size_t stride,
                std::span<std::int32_t> P) {
    constexpr std::size_t kVectors = 8;
    const hn::CappedTag<std::int16_t, kNeuronBlock / kVectors> narrow;
    const hn::Repartition<std::int32_t, decltype(narrow)> wide;
    const hn::Half<decltype(narrow)> half;
    const std::size_t lanes = hn::Lanes(narrow), block = kVectors * lanes;
    for (std::size_t first = 0; first < P.size(); first += block) {
        hn::Vec<decltype(narrow)> sum[kVectors];
        for (auto& s : sum) s = hn::Zero(narrow);
        for (const Entry& entry : entries) {
            const auto x = hn::Set(narrow, entry.value);
            const std::uint8_t* mask = bits + entry.input * stride + first / 8;
            for (std::size_t k = 0; k < kVectors; ++k) {
                const auto set = hn::LoadMaskBits(narrow, mask + k * lanes / 8);
                sum[k] = hn::Add(sum[k], hn::IfThenElseZero(set, x));
            }
        }
        for (std::size_t k = 0; k < kVectors; ++k) {
            std::int32_t* out = P.data() + first + k * lanes;
            const auto low = hn::PromoteTo(wide, hn::LowerHalf(half, sum[k]));
            const auto high = hn::PromoteTo(wide, hn::UpperHalf(half, sum[k]));
            hn::StoreU(hn::Add(hn::LoadU(wide, out), low), wide, out);
            out += lanes / 2;
            hn::StoreU(hn::Add(hn::LoadU(wide, out), high), wide, out);
        }
    }
}

#endif

}  // namespace bitbayes::packed::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bitbayes::packed {

HWY_EXPORT(accumulate);

void accumulate(std::span<const Entry> entries, const std::uint8_t* bits, std::size_t stride,
                std::span<std::int32_t> P) {
    HWY_DYNAMIC_DISPATCH(accumulate)(entries, bits, stride, P);
}

}  // namespace bitbayes::packed
#endif
