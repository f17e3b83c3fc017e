// Where the h and w of a neuron of layer 1 are, and how a thread goes through its share of them; included inside a namespace.
// tree_block-inl.hpp says what a Team is.

struct Four {
    alignas(16) float v[4];
};

BITBAYES_INLINE Four load_four(const float* p) { return *reinterpret_cast<const Four*>(p); }
BITBAYES_INLINE void store_four(float* p, const Four& x) { *reinterpret_cast<Four*>(p) = x; }

// Rows of a neuron.
struct InputWeights {
    float *h, *w;
    float* way;  // where this thread's fours wait that come from the card's memory
    // Of Place::kSplit: h is the near part of a row, the rest is far.
    float* far_h = nullptr;
    NearPart near{};
    Four first_far{};  // this thread's first four there, fetched as early as can be

    template <Place kPlace>
    BITBAYES_INLINE float& h_at(std::uint32_t at) const {
        if constexpr (kPlace == Place::kSplit) return near.has(at) ? h[near.place(at)] : far_h[at];
        return h[at];
    }
    // What lies behind the last whole piece of 64, counted from the start of the row.
    template <Place kPlace>
    BITBAYES_INLINE float* last_h() const {
        return kPlace == Place::kSplit ? h - near.far_pieces * 64 : h;
    }
};

// A thread's fours of h and w of a row in order, from `first` on and 64 apart: learn(h_4, w_4) changes them.
template <int kTimes, class Learn>
BITBAYES_INLINE void each_four_on_chip(const InputWeights& weights, std::uint32_t first,
                                       std::uint32_t end, const Learn& learn) {
    BITBAYES_UNROLL_TIMES
    for (std::uint32_t at = first; at < end; at += 64) {
        Four h_4 = load_four(weights.h + at), w_4 = load_four(weights.w + at);
        learn(h_4, w_4);
        store_four(weights.h + at, h_4);
        store_four(weights.w + at, w_4);
    }
}

// Both in the card's memory: they come by way of shared memory, some fours ahead of what is learned.
template <class Team, class Learn>
BITBAYES_INLINE void each_four_from_far(const Team& team, const InputWeights& weights,
                                        std::uint32_t first, std::uint32_t end,
                                        const Learn& learn) {
    const std::uint32_t apart = team.threads() * 4;
    float* slot = weights.way;
    const auto fetch = [&](std::uint32_t at) {
        if (at < end) {
            team.copy_four(slot, weights.h + at);
            team.copy_four(slot + apart, weights.w + at);
        }
        team.commit();
        slot += 2 * apart;
        if (slot == weights.way + kWayFours * 2 * apart) slot = weights.way;
    };
    for (std::uint32_t k = 0; k < kWayFours; ++k) fetch(first + 64 * k);
    BITBAYES_NO_UNROLL
    for (std::uint32_t at = first; at < end; at += 64) {
        team.template await<kWayFours - 1>();
        Four h_4 = load_four(slot), w_4 = load_four(slot + apart);
        fetch(at + 64 * kWayFours);
        learn(h_4, w_4);
        store_four(weights.h + at, h_4);
        store_four(weights.w + at, w_4);
    }
}

// w in shared memory, and h of the near pieces: while one is learned, this thread's four of the next far one is on its way.
template <class Learn>
BITBAYES_INLINE void each_four_of_split(const InputWeights& weights, std::uint32_t first,
                                        std::uint32_t end, const Learn& learn) {
    float *near = weights.h + first, *far = weights.far_h + first, *w = weights.w + first;
    const float *end_w = weights.w + end, *end_far = w + weights.near.far_pieces * 128;
    const auto learn_near = [&] {
        Four h_4 = load_four(near), w_4 = load_four(w);
        learn(h_4, w_4);
        store_four(near, h_4);
        store_four(w, w_4);
        near += 64;
        w += 64;
    };
    Four far_4 = weights.first_far;
    BITBAYES_NO_UNROLL
    while (w < end_far) {
        Four w_4 = load_four(w);
        learn(far_4, w_4);
        store_four(far, far_4);
        store_four(w, w_4);
        far += 128;
        w += 64;
        if (w + 64 < end_far) far_4 = load_four(far);
        if (w >= end_w) return;
        learn_near();
    }
    BITBAYES_NO_UNROLL
    while (w < end_w) learn_near();
}

template <Place kPlace, int kTimes, class Team, class Learn>
BITBAYES_INLINE void each_four(const Team& team, const InputWeights& weights, std::uint32_t first,
                               std::uint32_t end, const Learn& learn) {
    if constexpr (kPlace == Place::kFar) {
        each_four_from_far(team, weights, first, end, learn);
    } else if constexpr (kPlace == Place::kSplit) {
        each_four_of_split(weights, first, end, learn);
    } else {
        each_four_on_chip<kTimes>(weights, first, end, learn);
    }
}
