// How many FMA instructions of this level's width a core can execute: independent chains, as many
// as hide the latency and still fit into the registers. Included once per instruction set, inside
// its namespace, after Lanes.

constexpr std::size_t kFmaChains = 12;  // vectors; AVX2 has registers for 12 and two constants
constexpr std::size_t kFmaLanes = (kFmaChains + kParts - 1) / kParts;

// Written as a recursion: a loop over an array would be at the mercy of the unroller.
template <std::size_t kCount>
struct FmaChains {
    Lanes chain;
    FmaChains<kCount - 1> rest;

    BITBAYES_INLINE explicit FmaChains(const float* start)
        : chain(Lanes::load(start)), rest(start + kLanes) {}
    BITBAYES_INLINE void step(Lanes factor, Lanes term) {
        chain = fma(chain, factor, term);
        rest.step(factor, term);
    }
    BITBAYES_INLINE float total() const { return chain.total() + rest.total(); }
};

template <>
struct FmaChains<0> {
    BITBAYES_INLINE explicit FmaChains(const float*) {}
    BITBAYES_INLINE void step(Lanes, Lanes) {}
    BITBAYES_INLINE float total() const { return 0.0f; }
};

// Every number starts at a different value, or the compiler would merge chains, and converges to
// term / (1 - factor) = 1: no infinities, no denormal numbers on the way.
inline FmaCount fma_chains(std::size_t rounds) {
    const Lanes factor(0.999f), term(0.001f);
    alignas(64) float start[kFmaLanes * kLanes];
    for (std::size_t k = 0; k < kFmaLanes * kLanes; ++k) start[k] = static_cast<float>(k);
    FmaChains<kFmaLanes> chains(start);
    for (std::size_t round = 0; round < rounds; ++round) chains.step(factor, term);
    return {rounds * kFmaLanes * kParts, kLanes / kParts, chains.total()};
}
