// G of a neuron and the steps dh of layer 1, included once per instruction set, inside its namespace,
// after Lanes and lane_math-inl.hpp. The equations are in tree_kernels-inl.hpp.

constexpr float kHeight = 0.797884561f;  // 2 / sqrt(2 pi)

// Below this share of the mean square input a neuron is so sure that its w is computed from h in every step.
constexpr float kMinVariance = 0x1p-10f;
// A larger step is not compared with a neuron's smallest |h|: hardly any is above this.
constexpr float kUsefulSmallestH = 16;

// Of G of a hidden neuron: smaller exponents count as this one. No h of more than 1e-14 moves then, and the products below it would
// be denormal, on which many processors take a hundred times as long.
constexpr float kLowestExponent = -50;

enum class Neuron { kHidden, kOutput, kNoisyOutput };

// G of one neuron, in the form that is valid everywhere.
template <Neuron kNeuron>
struct FullGain {
    Lanes S, exponent, height, slope, scale, noise;

    BITBAYES_INLINE FullGain(float S_i, float T_i, float y, float eps)
        : S(S_i),
          exponent(-0.5f / T_i),
          height(kHeight / std::sqrt(T_i)),
          slope(-y / std::sqrt(T_i)),
          scale(2.0f / std::sqrt(T_i)),
          noise(eps) {}

    BITBAYES_INLINE Lanes at(Lanes w, Lanes nu) const {
        const Lanes c = negative_fma(w, nu, S);
        if constexpr (kNeuron == Neuron::kOutput) return scale * inverse_mills(slope * c);
        if constexpr (kNeuron == Neuron::kNoisyOutput) {
            return scale * noisy_mills(slope * c, noise);
        }
        return height * exp_above(kLowestExponent, c * c * exponent);
    }
};

// What a neuron of layer 1 adds to h: dh = step tanh(G x), step = rate D / 2. In the form that is
// valid everywhere.
template <Neuron kNeuron>
struct FullStep {
    FullGain<kNeuron> gain;
    Lanes step;

    BITBAYES_INLINE FullStep(float S_i, float T_i, float D_i, float eps, float step_i)
        : gain(S_i, T_i, D_i, eps), step(step_i) {}
    BITBAYES_INLINE Lanes at(Lanes w, Lanes x) const { return step * tanh(gain.at(w, x) * x); }
};

// G of a hidden neuron with p = w x: height e^(slope p + curve p^2).
struct HiddenGain {
    Lanes slope, curve, height;
};

// Each lane of S and T may be another neuron.
BITBAYES_INLINE HiddenGain hidden_gain(Lanes S, Lanes T) {
    const Lanes curve = Lanes(-0.5f) / T;
    return {S / T, curve, Lanes(kHeight) / sqrt(T) * exp_above(kLowestExponent, S * (S * curve))};
}

// dh of a hidden neuron whose inputs are all small compared to sqrt(T). With p = w x
//   -c^2 / (2 T) = -S^2 / (2 T) + d,   d = p S / T - p^2 / (2 T)
//   |p| <= largest |x|, so |d| <= (|S| largest + largest^2 / 2) / T, and |G x| <= height largest.
// e^d is the polynomial at d / 2^kSquarings, squared kSquarings times: relative error of dh below
// 1.6e-6 without squarings, 7e-6 with three.
template <int kSquarings, class Tanh>
struct SmallStep {
    static constexpr float kPart = 1.0f / (1 << kSquarings);

    Lanes slope, curve, height;
    SmallExp scaled_exp;
    Tanh step_tanh;

    BITBAYES_INLINE static bool holds(float S_i, float T_i, float largest) {
        return kPart * (std::fabs(S_i) + 0.5f * largest) * largest <= kSmallExp * T_i &&
               kHeight * largest <= Tanh::kLimit * std::sqrt(T_i);
    }
    BITBAYES_INLINE SmallStep(const HiddenGain& gain, float step)
        : slope(Lanes(kPart) * gain.slope),
          curve(Lanes(kPart) * gain.curve),
          height(gain.height),
          scaled_exp(kSquarings == 0 ? height : Lanes(1.0f)),
          step_tanh(step) {}

    template <class Some>
    BITBAYES_INLINE Some at(Some w, Some x) const {
        const Some p = w * x;
        Some e = scaled_exp(p * fma(curve, p, slope));
        if constexpr (kSquarings == 0) return step_tanh(x * e);  // e has the factor height
        for (int k = 0; k < kSquarings; ++k) e = e * e;
        return step_tanh(height * x * e);
    }
};
using MildStep = SmallStep<0, SmallTanh>;  // |d| <= 1/4, |G x| <= 1/4
using WideStep = SmallStep<3, SmallTanh>;  // |d| <= 2,   |G x| <= 1/4
using FarStep = SmallStep<3, UnitTanh>;    // |d| <= 2,   |G x| <= 1: small fan-ins
