// Forward, backward and update of one tree's part of a layer, included once per instruction set,
// inside its namespace, after Lanes, lane_math-inl.hpp and steps-inl.hpp. Twin: core/forward.cpp,
// core/backward.cpp
//   S_i = sum_j w_ij nu_j
//   T_i = sum_j x_j^2 (1 - w_ij^2) + floor                  l = 1
//   T_i = sum_j [1 - (w_ij nu_j)^2 + floor]                 l > 1
//   c   = S_i - w_ij nu_j
//   G   = 2 / sqrt(2 pi T) exp(-c^2 / (2 T))                l < L
//   G   = 2 / sqrt(T) f(-y c / sqrt(T))                     l = L
//         f = phi(z)/Phi(-z); with label noise (1 - 2 eps) phi(z) / (eps + (1 - 2 eps) Phi(-z))
//   h  += D tanh(G x) / 2                                   l = 1
//   h  += D tanh(G) nu / 2, D_below = D tanh(G) w           l > 1
//   w   = tanh h; l = 1 on dense rows, small steps: w += (1 - w^2) dh (1 - w dh)

inline void weight_means(const float* h, float* w, std::size_t count) {
    for (std::size_t j = 0; j < count; j += kLanes) weight_mean(Lanes::load(h + j)).store(w + j);
}

inline void measure(InputRow& row) {
    Lanes sum(0.0f), largest(0.0f);
    for (std::size_t j = 0; j < row.count; j += kLanes) {
        const Lanes x = Lanes::load_some(row.x + j, row.count - j);
        sum = fma(x, x, sum);
        largest = max(largest, abs(x));
    }
    row.square_sum = sum.total();
    row.largest = largest.largest();
}

inline void sign_means(const Moments& out, std::size_t neurons) {
    for (std::size_t i = 0; i < neurons; i += kLanes) {
        const Lanes S = Lanes::load_some(out.S + i, neurons - i);
        const Lanes T = max(Lanes::load_some(out.T + i, neurons - i), Lanes(kSmallest));
        sign_mean(S / sqrt(T)).store_some(out.nu + i, neurons - i);
    }
}

// 16 weights of a row at the columns of 16 (or fewer) inputs: the next 16 of a dense row, or those of
// a sparse one, gathered, 0 beyond its end.
template <bool kSparse>
BITBAYES_INLINE Lanes load_weights(const float* row, const InputRow& input, std::size_t j) {
    if constexpr (kSparse) return Lanes::gather(row, input.index + j, input.count - j);
    return Lanes::load(row + j);
}

template <bool kSparse>
BITBAYES_INLINE void store_weights(Lanes value, float* row, const InputRow& input, std::size_t j) {
    if constexpr (kSparse) {
        value.scatter(row, input.index + j, input.count - j);
    } else {
        value.store(row + j);
    }
}

template <bool kSparse>
BITBAYES_INLINE Lanes load_inputs(const InputRow& input, std::size_t j) {
    if constexpr (kSparse) return Lanes::load_some(input.x + j, input.count - j);
    return Lanes::load(input.x + j);
}

// S and T of one neuron of layer 1, lane by lane.
struct InputSums {
    Lanes S, T;

    // Written out: an implicit constructor would not be compiled for the target's instructions.
    BITBAYES_INLINE InputSums() : S(0.0f), T(0.0f) {}
    BITBAYES_INLINE void add(Lanes w, Lanes x) {
        S = fma(w, x, S);
        T = fma(x * x, negative_fma(w, w, Lanes(1.0f)), T);
    }
    void finish(const InputRow& input, std::size_t i, const Moments& out) const {
        out.S[i] = S.total();
        out.T[i] = T.total() + (kVarianceFloor * input.square_sum + kSmallest);
    }
};

template <bool kSparse>
void forward_input_row(const float* row, const InputRow& input, std::size_t i, const Moments& out) {
    InputSums sums;
    for (std::size_t j = 0; j < input.count; j += kLanes) {
        sums.add(load_weights<kSparse>(row, input, j), load_inputs<kSparse>(input, j));
    }
    sums.finish(input, i, out);
}

template <bool kSparse>
void forward_input_rows(const MeansSlice& layer, const InputRow& input, const Moments& out) {
    for (std::size_t i = 0; i < layer.neurons; ++i) {
        forward_input_row<kSparse>(layer.w + i * layer.stride, input, i, out);
    }
    sign_means(out, layer.neurons);
}

inline void forward_input(const MeansSlice& layer, const InputRow& input, const Moments& out) {
    if (input.index == nullptr) {
        forward_input_rows<false>(layer, input, out);
    } else {
        forward_input_rows<true>(layer, input, out);
    }
}

inline void forward_hidden(const MeansSlice& layer, const float* nu, const Moments& out) {
    const float floor = kVarianceFloor * static_cast<float>(layer.fan_in);
    for (std::size_t i = 0; i < layer.neurons; ++i) {
        const float* row = layer.w + i * layer.stride;
        const float* below = nu + i * layer.fan_in;
        Lanes S(0.0f), T(0.0f);
        for (std::size_t j = 0; j < layer.fan_in; j += kLanes) {
            const Lanes w = Lanes::load(row + j);
            const Lanes p = w * Lanes::load_some(below + j, layer.fan_in - j);
            S = S + p;
            T = T + negative_fma(p, p, Lanes::ones(layer.fan_in - j));
        }
        out.S[i] = S.total();
        out.T[i] = T.total() + floor;
    }
    sign_means(out, layer.neurons);
}

// A step changes no float h of a neuron if it is at most 2^-26 of its smallest |h|: floats next
// to h are at least 2^-24 |h| away, so h + step rounds to h when |step| < 2^-25 |h|. The step is at
// most |D| evidence / 2 times min(1, |G x|) <= min(1, height largest); the factor 2 covers the
// rounding of this bound. An h of 0 gives the bound 0, which only a step of 0 meets. The w of a
// skipped neuron stays as well. Where w = tanh h it would not have moved either: |dw| <= (1 - w^2)
// 2^-26 |h| <= 2^-26 |w|. Where w has drifted it keeps its drift. Held by
// tests/kernels/fused_test.cpp.
inline bool cannot_move(const LayerSlice& layer, std::size_t i, float largest_step) {
    if (largest_step == 0) return true;
    if (layer.smallest_h == nullptr || largest_step > 0x1p-26f * kUsefulSmallestH) return false;
    const float* row = layer.h + i * layer.stride;
    std::uint32_t& place = layer.smallest_h[i];
    const auto cannot = [&] {
        return largest_step <= 0x1p-26f * std::fabs(row[place & ~kMovedSince]);
    };
    // What was the smallest is seldom far from it: most neurons that can move show it here.
    if (!cannot()) return false;
    if ((place & kMovedSince) != 0) {
        Lanes smallest(std::numeric_limits<float>::max());
        for (std::size_t j = 0; j + kLanes <= layer.fan_in; j += kLanes) {
            smallest = min(smallest, abs(Lanes::load(row + j)));
        }
        float result = smallest.smallest();
        for (std::size_t j = layer.fan_in / kLanes * kLanes; j < layer.fan_in; ++j) {
            result = std::min(result, std::fabs(row[j]));
        }
        const float* found =
            std::find_if(row, row + layer.fan_in, [&](float h) { return std::fabs(h) == result; });
        place = static_cast<std::uint32_t>(found - row) % layer.fan_in;
    }
    return cannot();
}

// Whether w may be moved along with h (moved_mean) instead of being computed from it: steps are
// small, and the neuron is not so sure that the drift of w would show in T, a sum of 1 - w^2.
// Depends on this sample alone, so that every split of the work and every resumed run makes the
// same choice.
inline bool may_move_means(const InputRow& input, float T_i, float largest_step) {
    return largest_step <= kMaxMove && T_i >= kMinVariance * input.square_sum;
}

// One row of layer 1: backward, update and, if kNext, forward of the next sample. kMove: w moves
// along with h, else w = tanh h. Sparse rows compute it.
template <bool kSparse, bool kNext, bool kMove, class Step>
BITBAYES_INLINE InputSums learn_input_row(float* h_row, float* w_row, const InputRow& input,
                                          const InputRow* next, const Step& step) {
    InputSums sums;
    std::size_t j = 0;
    if constexpr (kMove && kPairs) {
        for (; j + 2 * kLanes <= input.count; j += 2 * kLanes) {
            const Pair x = Pair::load(input.x + j), w = Pair::load(w_row + j), dh = step.at(w, x);
            const Pair w_next = moved_mean(w, dh);
            (Pair::load(h_row + j) + dh).store(h_row + j);
            w_next.store(w_row + j);
            if constexpr (kNext) {
                sums.add(w_next.first, Lanes::load(next->x + j));
                sums.add(w_next.second, Lanes::load(next->x + j + kLanes));
            }
        }
    }
    for (; j < input.count; j += kLanes) {
        const Lanes x = load_inputs<kSparse>(input, j);
        const Lanes w = load_weights<kSparse>(w_row, input, j);
        const Lanes dh = step.at(w, x);
        const Lanes h = load_weights<kSparse>(h_row, input, j) + dh;
        const Lanes w_next = kMove ? moved_mean(w, dh) : weight_mean(h);
        store_weights<kSparse>(h, h_row, input, j);
        store_weights<kSparse>(w_next, w_row, input, j);
        if constexpr (kNext) sums.add(w_next, Lanes::load(next->x + j));
    }
    return sums;
}

// Of 16 neurons, before any of their weights is looked at: their divisions and exponentials run side by side.
struct HiddenGains {
    alignas(64) float slope[kLanes], curve[kLanes], height[kLanes];

    BITBAYES_INLINE void fill(const Moments& moments, std::size_t first, std::size_t count) {
        const HiddenGain all = hidden_gain(Lanes::load_some(moments.S + first, count),
                                           Lanes::load_some(moments.T + first, count));
        all.slope.store(slope);
        all.curve.store(curve);
        all.height.store(height);
    }
    BITBAYES_INLINE HiddenGain of(std::size_t i) const {
        return {Lanes(slope[i % kLanes]), Lanes(curve[i % kLanes]), Lanes(height[i % kLanes])};
    }
};

template <bool kSparse, bool kNext>
void learn_input_rows(const LayerSlice& layer, const InputRow& input, const Moments& moments,
                      const Messages& messages, const InputRow* next, const Moments& next_moments) {
    constexpr bool kMove = !kSparse;
    HiddenGains gains;
    for (std::size_t i = 0; i < layer.neurons; ++i) {
        if (i % kLanes == 0) gains.fill(moments, i, layer.neurons - i);
        const float S = moments.S[i], T = moments.T[i], D = messages.D[i];
        const float step = 0.5f * messages.rate * D;
        const float largest_step =
            std::fabs(step) * std::min(1.0f, kHeight * input.largest / std::sqrt(T));
        if (!messages.output && cannot_move(layer, i, largest_step)) {
            if constexpr (kNext) {
                forward_input_row<false>(layer.w + i * layer.stride, *next, i, next_moments);
            }
            continue;
        }
        float* h = layer.h + i * layer.stride;
        float* w = layer.w + i * layer.stride;
        const bool moves = kMove && may_move_means(input, T, largest_step);
        InputSums sums;
        if (messages.output && messages.eps > 0) {
            sums = learn_input_row<kSparse, kNext, false>(
                h, w, input, next, FullStep<Neuron::kNoisyOutput>(S, T, D, messages.eps, step));
        } else if (messages.output) {
            sums = learn_input_row<kSparse, kNext, false>(
                h, w, input, next, FullStep<Neuron::kOutput>(S, T, D, 0, step));
        } else if (!FarStep::holds(S, T, input.largest)) {
            sums = learn_input_row<kSparse, kNext, false>(
                h, w, input, next, FullStep<Neuron::kHidden>(S, T, D, 0, step));
        } else if (!WideStep::holds(S, T, input.largest)) {
            sums = moves ? learn_input_row<kSparse, kNext, kMove>(h, w, input, next,
                                                                  FarStep(gains.of(i), step))
                         : learn_input_row<kSparse, kNext, false>(h, w, input, next,
                                                                  FarStep(gains.of(i), step));
        } else if (!moves) {
            sums = learn_input_row<kSparse, kNext, false>(h, w, input, next,
                                                          WideStep(gains.of(i), step));
        } else if (!MildStep::holds(S, T, input.largest)) {
            sums = learn_input_row<kSparse, kNext, kMove>(h, w, input, next,
                                                          WideStep(gains.of(i), step));
        } else {
            sums = learn_input_row<kSparse, kNext, kMove>(h, w, input, next,
                                                          MildStep(gains.of(i), step));
        }
        if (layer.smallest_h != nullptr) layer.smallest_h[i] |= kMovedSince;
        if constexpr (kNext) sums.finish(*next, i, next_moments);
    }
    if constexpr (kNext) sign_means(next_moments, layer.neurons);
}

inline void learn_input(const LayerSlice& layer, const InputRow& input, const Moments& moments,
                        const Messages& messages, const InputRow* next,
                        const Moments& next_moments) {
    if (input.index != nullptr) {
        learn_input_rows<true, false>(layer, input, moments, messages, nullptr, next_moments);
        if (next != nullptr) forward_input({layer, layer.w}, *next, next_moments);
    } else if (next != nullptr) {
        learn_input_rows<false, true>(layer, input, moments, messages, next, next_moments);
    } else {
        learn_input_rows<false, false>(layer, input, moments, messages, nullptr, next_moments);
    }
}

template <Neuron kNeuron>
void backward_hidden_rows(const LayerSlice& layer, const float* nu, const Moments& moments,
                          const Messages& messages, float* D_below) {
    for (std::size_t i = 0; i < layer.neurons; ++i) {
        const float D = messages.D[i];
        const FullGain<kNeuron> gain(moments.S[i], moments.T[i], D, messages.eps);
        const Lanes half(0.5f * messages.rate);
        float* h_row = layer.h + i * layer.stride;
        float* w_row = layer.w + i * layer.stride;
        for (std::size_t j = 0; j < layer.fan_in; j += kLanes) {
            const std::size_t left = layer.fan_in - j;
            const Lanes v = Lanes::load_some(nu + i * layer.fan_in + j, left);
            const Lanes w = Lanes::load(w_row + j);
            const Lanes R = Lanes(D) * tanh(gain.at(w, v));
            (R * w).store_some(D_below + i * layer.fan_in + j, left);
            const Lanes h = fma(half * R, v, Lanes::load(h_row + j));
            h.store(h_row + j);
            weight_mean(h).store(w_row + j);
        }
    }
}

inline void backward_hidden(const LayerSlice& layer, const float* nu, const Moments& moments,
                            const Messages& messages, float* D_below) {
    if (!messages.output) {
        backward_hidden_rows<Neuron::kHidden>(layer, nu, moments, messages, D_below);
    } else if (messages.eps > 0) {
        backward_hidden_rows<Neuron::kNoisyOutput>(layer, nu, moments, messages, D_below);
    } else {
        backward_hidden_rows<Neuron::kOutput>(layer, nu, moments, messages, D_below);
    }
}

constexpr TreeRule kMfb{forward_input, forward_hidden, learn_input, backward_hidden};
