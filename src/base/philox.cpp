#include "base/philox.hpp"

#include <Random123/philox.h>

#include <numeric>
#include <utility>

namespace bitbayes {

namespace {
__extension__ using Wide = unsigned __int128;
}

std::array<std::uint32_t, 4> Philox::words(std::uint64_t index) const {
    const r123::Philox4x32::ctr_type counter = {{static_cast<std::uint32_t>(index),
                                                 static_cast<std::uint32_t>(index >> 32),
                                                 static_cast<std::uint32_t>(purpose_), stream_}};
    const r123::Philox4x32::key_type key = {
        {static_cast<std::uint32_t>(seed_), static_cast<std::uint32_t>(seed_ >> 32)}};
    const auto r = r123::Philox4x32{}(counter, key);
    return {r[0], r[1], r[2], r[3]};
}

double Philox::uniform(std::uint64_t index) const {
    const auto r = words(index);
    const std::uint64_t bits = (std::uint64_t{r[1]} << 32 | r[0]) >> 11;
    return static_cast<double>(bits) * 0x1p-53;
}

std::uint64_t Philox::below(std::uint64_t bound, std::uint64_t index) const {
    // 128 bits scaled down to the bound: the bias is at most bound / 2^128.
    const auto r = words(index);
    const auto low = static_cast<Wide>(std::uint64_t{r[1]} << 32 | r[0]);
    const auto high = static_cast<Wide>(std::uint64_t{r[3]} << 32 | r[2]);
    return static_cast<std::uint64_t>((high * bound + (low * bound >> 64)) >> 64);
}

std::vector<std::uint32_t> Philox::permutation(std::size_t n) const {
    std::vector<std::uint32_t> order(n);
    std::iota(order.begin(), order.end(), 0u);
    for (std::size_t i = n; i > 1; --i) std::swap(order[i - 1], order[below(i, i)]);
    return order;
}

}  // namespace bitbayes
