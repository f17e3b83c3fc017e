// Neurons of layer 1, each shared by a group of 16 threads; included inside a namespace after kernels/steps-inl.hpp and
// kernels/backprop_math-inl.hpp, and input_weights-inl.hpp. Twins: kernels/backprop_kernels-inl.hpp, and
// kernels/tree_kernels-inl.hpp, forward_input and learn_input. tree_block-inl.hpp says what a Team is.

// Shared memory, floats, in the order in which it is taken.
struct Room {
    float* next;

    BITBAYES_INLINE float* take(std::uint32_t floats) {
        float* taken = next;
        next += (floats + 15) / 16 * 16;
        return taken;
    }
};

struct NeuronMoments {
    float S, T;  // BackProp: u, 1
};

// What a parent adds up of a child's w and nu.
struct Told {
    float first, second;
};

// What a network learns: h, from which w = tanh h follows, or w itself. kWords: numbers that cross blocks to tell it.
struct Mfb {
    static constexpr bool kHasH = true;
    static constexpr std::uint32_t kWords = 1;
    BITBAYES_INLINE static float nu(const NeuronMoments& m) {
        return sign_mean(Lanes(m.S) / sqrt(max(Lanes(m.T), Lanes(kSmallest)))).v;
    }
    // S = sum w nu, T = sum 1 - (w nu)^2
    BITBAYES_INLINE static Told told(float w, float nu) {
        return from_words((Lanes(w) * Lanes(nu)).v, 0);
    }
    BITBAYES_INLINE static Told from_words(float p, float) {
        return {p, negative_fma(Lanes(p), Lanes(p), Lanes(1.0f)).v};
    }
};
struct Backprop {
    static constexpr bool kHasH = false;
    static constexpr std::uint32_t kWords = 2;
    BITBAYES_INLINE static float nu(const NeuronMoments& m) {
        return backprop::activity(Lanes(m.S)).v;
    }
    // u = sum w nu, by FMA
    BITBAYES_INLINE static Told told(float w, float nu) { return {nu, w}; }
    BITBAYES_INLINE static Told from_words(float nu, float w) { return {nu, w}; }
    BITBAYES_INLINE static float delta(float nu, float D, bool output) {
        return (output ? D - nu : D) * backprop::slope(nu);
    }
};

// S and T of one neuron of layer 1: one thread's part.
template <class Rule>
struct PartSums {
    Lanes S{0.0f}, T{0.0f};

    BITBAYES_INLINE void add(Lanes w, Lanes x) {
        S = fma(w, x, S);
        if constexpr (Rule::kHasH) T = fma(x * x, negative_fma(w, w, Lanes(1.0f)), T);
    }
};

// One row of inputs, in shared memory or anywhere else; with `index` only the `count` ones that are not 0.
struct Inputs {
    const float* x;
    float square_sum, largest;
    const std::uint32_t* index = nullptr;
    std::uint32_t count = 0;

    BITBAYES_INLINE float floor() const { return kVarianceFloor * square_sum + kSmallest; }
};

template <class Rule, class Team>
BITBAYES_INLINE NeuronMoments finish(const Team& team, const PartSums<Rule>& sums,
                                     const Inputs& input) {
    if constexpr (!Rule::kHasH) {
        return {team.total(sums.S.v), 1.0f};
    } else {
        return {team.total(sums.S.v), team.total(sums.T.v) + input.floor()};
    }
}

BITBAYES_INLINE Inputs inputs_of(const TreeRows& rows, std::uint32_t r, const RowFacts& facts) {
    const std::uint64_t first = rows.sparse.start[r];
    return {rows.x + first, facts.square_sum, facts.largest, rows.sparse.index + first,
            static_cast<std::uint32_t>(rows.sparse.start[r + 1] - first)};
}

template <class Rule>
BITBAYES_INLINE PartSums<Rule> forward_sparse_row(std::uint32_t lane, const float* w,
                                                  const Inputs& input) {
    PartSums<Rule> sums;
    for (std::uint32_t k = lane; k < input.count; k += kGroup)
        sums.add(Lanes(w[input.index[k]]), Lanes(input.x[k]));
    return sums;
}

// Of kRows rows of inputs, `stride` apart.
template <class Rule, std::size_t kRows>
BITBAYES_INLINE void add_input_rows(PartSums<Rule> (&sums)[kRows], std::uint32_t lane,
                                    const float* w, const float* x, std::uint32_t stride) {
    const std::uint32_t fours = stride / 64 * 64;
    for (std::uint32_t at = lane * 4; at < fours; at += 64) {
        const Four w_4 = load_four(w + at);
        BITBAYES_UNROLL
        for (std::size_t r = 0; r < kRows; ++r) {
            const Four x_4 = load_four(x + r * stride + at);
            for (int k = 0; k < 4; ++k) sums[r].add(Lanes(w_4.v[k]), Lanes(x_4.v[k]));
        }
    }
    BITBAYES_NO_UNROLL
    for (std::uint32_t at = fours + lane; at < stride; at += kGroup) {
        BITBAYES_UNROLL
        for (std::size_t r = 0; r < kRows; ++r)
            sums[r].add(Lanes(w[at]), Lanes(x[r * stride + at]));
    }
}

template <class Rule, Place kPlace>
BITBAYES_INLINE PartSums<Rule> forward_input_row(std::uint32_t lane, const float* w,
                                                 const Inputs& input, std::uint32_t stride) {
    if constexpr (kPlace == Place::kSparse) return forward_sparse_row<Rule>(lane, w, input);
    PartSums<Rule> sums[1];
    add_input_rows(sums, lane, w, input.x, stride);
    return sums[0];
}

// A neuron's step, and the sums of the next row if there is one.
template <bool kNext, bool kMove, Place kPlace, class Team, class Step>
BITBAYES_INLINE PartSums<Mfb> learn_input_row(const Team& team, const InputWeights& weights,
                                              const float* x, const float* next,
                                              std::uint32_t stride, const Step& step) {
    PartSums<Mfb> sums;
    const auto learn = [&](float& h_j, float& w_j, float x_j, float next_j) {
        const Lanes w_old(w_j), dh = step.at(w_old, Lanes(x_j)), h_new = Lanes(h_j) + dh;
        const Lanes w_new = kMove ? moved_mean(w_old, dh) : weight_mean(h_new);
        h_j = h_new.v;
        w_j = w_new.v;
        if constexpr (kNext) sums.add(w_new, Lanes(next_j));
    };
    const std::uint32_t lane = team.thread() % kGroup, fours = stride / 64 * 64;
    const float *x_at = x + lane * 4, *next_at = next + lane * 4;
    const auto learn_four = [&](Four& h_4, Four& w_4) {
        const Four x_4 = load_four(x_at);
        Four next_4{};
        if constexpr (kNext) next_4 = load_four(next_at);
        for (int k = 0; k < 4; ++k) learn(h_4.v[k], w_4.v[k], x_4.v[k], next_4.v[k]);
        x_at += 64;
        next_at += 64;
    };
    // What most neurons take; more would fill the registers, and the cache of instructions.
    constexpr int kTimes = kMove && kPlace == Place::kChip ? 2 : 1;
    each_four<kPlace, kTimes>(team, weights, lane * 4, fours, learn_four);
    float* last_h = weights.template last_h<kPlace>();
    BITBAYES_NO_UNROLL
    for (std::uint32_t at = fours + lane; at < stride; at += kGroup) {
        learn(last_h[at], weights.w[at], x[at], kNext ? next[at] : 0.0f);
    }
    return sums;
}

// The same for a sparse row, whose w are functions of h. The sums of the next row come after it: its entries are other threads'.
template <bool kNext, class Team, class Step>
BITBAYES_INLINE PartSums<Mfb> learn_sparse_row(const Team& team, const InputWeights& weights,
                                               const Inputs& input, const Inputs& next,
                                               const Step& step) {
    const std::uint32_t lane = team.thread() % kGroup;
    for (std::uint32_t k = lane; k < input.count; k += kGroup) {
        float &h = weights.h[input.index[k]], &w = weights.w[input.index[k]];
        const Lanes moved = Lanes(h) + step.at(Lanes(w), Lanes(input.x[k]));
        h = moved.v;
        w = weight_mean(moved).v;
    }
    PartSums<Mfb> sums;
    if constexpr (kNext) {
        team.together();
        sums = forward_sparse_row<Mfb>(lane, weights.w, next);
    }
    return sums;
}

// What is known of a hidden neuron's step as soon as its moments are: with many neurons side by side, each by one thread.
struct alignas(16) HiddenForm {
    enum Kind : std::uint32_t { kMild, kWide, kFar, kFull };

    float slope, curve, height;  // HiddenGain
    float reach;                 // the largest |tanh(G x)|
    Kind kind;                   // the first that holds
    bool sure;                   // w is computed from h
};

BITBAYES_INLINE void set_form(HiddenForm& form, const NeuronMoments& m, const Inputs& input) {
    const HiddenGain gain = hidden_gain(Lanes(m.S), Lanes(m.T));
    form.slope = gain.slope.v;
    form.curve = gain.curve.v;
    form.height = gain.height.v;
    const float reach = kHeight * input.largest / std::sqrt(m.T);
    form.reach = reach < 1.0f ? reach : 1.0f;
    form.kind = !FarStep::holds(m.S, m.T, input.largest)    ? HiddenForm::kFull
                : !WideStep::holds(m.S, m.T, input.largest) ? HiddenForm::kFar
                : !MildStep::holds(m.S, m.T, input.largest) ? HiddenForm::kWide
                                                            : HiddenForm::kMild;
    form.sure = !(m.T >= kMinVariance * input.square_sum);
}

// MildStep or WideStep, with their bits: for a warp whose neurons take different ones. It costs what WideStep costs and a choice, where
// the two loops one after the other would cost both.
struct MildOrWideStep {
    bool mild;
    Lanes slope, curve, factor;
    SmallExp scaled_exp;
    SmallTanh step_tanh;

    BITBAYES_INLINE MildOrWideStep(const HiddenGain& gain, float step, bool is_mild)
        : mild(is_mild),
          slope(part() * gain.slope),
          curve(part() * gain.curve),
          factor(mild ? Lanes(1.0f) : gain.height),
          scaled_exp(mild ? gain.height : Lanes(1.0f)),
          step_tanh(step) {}

    BITBAYES_INLINE Lanes at(Lanes w, Lanes x) const {
        const Lanes p = w * x;
        const Lanes e = scaled_exp(p * fma(curve, p, slope));
        const Lanes e_2 = e * e, e_4 = e_2 * e_2;
        return step_tanh(factor * x * (mild ? e : e_4 * e_4));
    }

  private:
    BITBAYES_INLINE Lanes part() const { return Lanes(mild ? MildStep::kPart : WideStep::kPart); }
};

// The loop over a hidden neuron's weights: by which step, and whether w moves with it or is computed from h.
enum class HiddenLoop : std::uint32_t {
    kNone,
    kMild,
    kWide,
    kMildOrWide,
    kWideByH,
    kFar,
    kFarByH,
    kFull
};

// As learn_input_rows of kernels/tree_kernels-inl.hpp, one neuron; `smallest_h` as LayerSlice's, but where it lies.
template <Place kPlace, class Team>
class InputNeuron {
  public:
    BITBAYES_INLINE InputNeuron(const Team& team, const InputWeights& weights,
                                const TreeLayer& layer, std::uint32_t& smallest_h)
        : team_(team), weights_(weights), layer_(layer), smallest_h_(smallest_h) {}

    // Of a network of one layer; `step`: rate y / 2.
    template <bool kNext>
    BITBAYES_INLINE PartSums<Mfb> learn_output(const Inputs& input, const NeuronMoments& m, float y,
                                               float eps, float step, const Inputs& next) {
        using Noisy = FullStep<Neuron::kNoisyOutput>;
        using Plain = FullStep<Neuron::kOutput>;
        return eps > 0 ? row<kNext, false>(input, next, Noisy(m.S, m.T, y, eps, step))
                       : row<kNext, false>(input, next, Plain(m.S, m.T, y, 0, step));
    }

    // Both groups of a warp call it together, and so enter the loop together if it is the same; kNone for what is not `mine`.
    BITBAYES_INLINE HiddenLoop hidden_loop(bool mine, const HiddenForm& form, float step) {
        const HiddenLoop own = mine ? own_loop(form, step) : HiddenLoop::kNone;
        const bool mild = own == HiddenLoop::kMild, wide = own == HiddenLoop::kWide;
        const bool any_mild = team_.any_of_pair(mild), any_wide = team_.any_of_pair(wide);
        return (mild || wide) && any_mild && any_wide ? HiddenLoop::kMildOrWide : own;
    }

    // By a loop other than kNone.
    template <bool kNext>
    BITBAYES_INLINE PartSums<Mfb> learn_hidden(HiddenLoop loop, const Inputs& input,
                                               const NeuronMoments& m, const HiddenForm& form,
                                               float step, const Inputs& next) {
        const HiddenGain gain{Lanes(form.slope), Lanes(form.curve), Lanes(form.height)};
        PartSums<Mfb> sums;
        switch (loop) {
            case HiddenLoop::kMild:
                sums = row<kNext, true>(input, next, MildStep(gain, step));
                break;
            case HiddenLoop::kWide:
                sums = row<kNext, true>(input, next, WideStep(gain, step));
                break;
            case HiddenLoop::kMildOrWide:
                sums = row<kNext, true>(input, next,
                                        MildOrWideStep(gain, step, form.kind == HiddenForm::kMild));
                break;
            case HiddenLoop::kWideByH:
                sums = row<kNext, false>(input, next, WideStep(gain, step));
                break;
            case HiddenLoop::kFar:
                sums = row<kNext, true>(input, next, FarStep(gain, step));
                break;
            case HiddenLoop::kFarByH:
                sums = row<kNext, false>(input, next, FarStep(gain, step));
                break;
            default:
                sums =
                    row<kNext, false>(input, next, FullStep<Neuron::kHidden>(m.S, m.T, 0, 0, step));
        }
        if (team_.thread() % kGroup == 0) smallest_h_ |= kMovedSince;
        return sums;
    }

  private:
    BITBAYES_INLINE HiddenLoop own_loop(const HiddenForm& form, float step) {
        const float largest_step = std::fabs(step) * form.reach;
        if (cannot_move(largest_step)) return HiddenLoop::kNone;
        const bool moves = kPlace != Place::kSparse && largest_step <= kMaxMove && !form.sure;
        if (form.kind == HiddenForm::kFull) return HiddenLoop::kFull;
        if (form.kind == HiddenForm::kFar) return moves ? HiddenLoop::kFar : HiddenLoop::kFarByH;
        if (!moves) return HiddenLoop::kWideByH;
        return form.kind == HiddenForm::kMild ? HiddenLoop::kMild : HiddenLoop::kWide;
    }

    template <bool kNext, bool kMove, class Step>
    BITBAYES_INLINE PartSums<Mfb> row(const Inputs& input, const Inputs& next, const Step& step) {
        if constexpr (kPlace == Place::kSparse) {
            return learn_sparse_row<kNext>(team_, weights_, input, next, step);
        } else {
            return learn_input_row<kNext, kMove, kPlace>(team_, weights_, input.x, next.x,
                                                         layer_.stride, step);
        }
    }
    BITBAYES_INLINE std::uint32_t place(std::uint32_t j) const {
        return kPlace == Place::kSparse ? j : placed(j, layer_.stride);
    }

    BITBAYES_INLINE bool cannot_move(float largest_step) {
        if (largest_step == 0) return true;
        if (largest_step > 0x1p-26f * kUsefulSmallestH) return false;
        const std::uint32_t known = smallest_h_, at = known & ~kMovedSince;
        const float bound = std::fabs(weights_.template h_at<kPlace>(at));
        if (!(largest_step <= 0x1p-26f * bound)) return false;
        return known == at || largest_step <= 0x1p-26f * find_smallest();
    }
    BITBAYES_INLINE float find_smallest() {
        float smallest = 3.402823466e+38f;
        std::uint32_t where = 0;
        for (std::uint32_t j = team_.thread() % kGroup; j < layer_.fan_in; j += kGroup) {
            const std::uint32_t at = place(j);
            const float h = std::fabs(weights_.template h_at<kPlace>(at));
            if (h < smallest) {
                smallest = h;
                where = at;
            }
        }
        const float own = smallest;
        smallest = team_.smallest(own);
        const auto lane = static_cast<float>(team_.thread() % kGroup);
        const float first = team_.smallest(own == smallest ? lane : float{kGroup});
        team_.together();  // all have read smallest_h_ before one writes it
        if (lane == first) smallest_h_ = where;
        return smallest;
    }

    const Team& team_;
    const InputWeights weights_;
    const TreeLayer& layer_;
    std::uint32_t& smallest_h_;
};

// BackProp: W += rate delta x, and the sums of the next row if there is one.
template <bool kNext, class Team>
BITBAYES_INLINE PartSums<Backprop> backprop_sparse_row(const Team& team, float* w,
                                                       const Inputs& input, const Inputs& next,
                                                       float step) {
    const std::uint32_t lane = team.thread() % kGroup;
    for (std::uint32_t k = lane; k < input.count; k += kGroup) {
        float& w_j = w[input.index[k]];
        w_j = fma(Lanes(step), Lanes(input.x[k]), Lanes(w_j)).v;
    }
    PartSums<Backprop> sums;
    if constexpr (kNext) {
        team.together();
        sums = forward_sparse_row<Backprop>(lane, w, next);
    }
    return sums;
}

template <bool kNext>
BITBAYES_INLINE PartSums<Backprop> backprop_input_row(std::uint32_t lane, float* w, const float* x,
                                                      const float* next, std::uint32_t stride,
                                                      float step) {
    PartSums<Backprop> sums;
    const auto learn = [&](float& w_j, float x_j, float next_j) {
        const Lanes moved = fma(Lanes(step), Lanes(x_j), Lanes(w_j));
        w_j = moved.v;
        if constexpr (kNext) sums.add(moved, Lanes(next_j));
    };
    const std::uint32_t fours = stride / 64 * 64;
    for (std::uint32_t at = lane * 4; at < fours; at += 64) {
        Four w_4 = load_four(w + at), next_4{};
        const Four x_4 = load_four(x + at);
        if constexpr (kNext) next_4 = load_four(next + at);
        for (int k = 0; k < 4; ++k) learn(w_4.v[k], x_4.v[k], next_4.v[k]);
        store_four(w + at, w_4);
    }
    BITBAYES_NO_UNROLL
    for (std::uint32_t at = fours + lane; at < stride; at += kGroup) {
        learn(w[at], x[at], kNext ? next[at] : 0.0f);
    }
    return sums;
}
