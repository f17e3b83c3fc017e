// The neurons of BackProp, included once per instruction set, inside its namespace, after
// lane_math-inl.hpp. The equations are in backprop_kernels-inl.hpp.

namespace backprop {

constexpr float kA = 1.7159f, kB = 2.0f / 3.0f;

// v = s(u)
BITBAYES_INLINE Lanes activity(Lanes u) { return Lanes(kA) * tanh(Lanes(kB) * u); }

// s'(u), from v
BITBAYES_INLINE float slope(float v) { return kB / kA * std::fma(-v, v, kA * kA); }
BITBAYES_INLINE Lanes slope(Lanes v) { return Lanes(kB / kA) * negative_fma(v, v, Lanes(kA * kA)); }

}  // namespace backprop
