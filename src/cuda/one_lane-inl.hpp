// Lanes of a single float: each thread of a card computes the formulas of kernels/ for its own weights.
// Included inside a namespace, before kernels/lane_math-inl.hpp, by the card's compiler and by the host's. The results are the same
// to the bit, as long as neither contracts products and sums: -fmad=false, -ffp-contract=off.

struct Lanes {
    float v;

    Lanes() = default;
    BITBAYES_INLINE explicit Lanes(float value) : v(value) {}
};

BITBAYES_INLINE Lanes operator+(Lanes a, Lanes b) { return Lanes(a.v + b.v); }
BITBAYES_INLINE Lanes operator-(Lanes a, Lanes b) { return Lanes(a.v - b.v); }
BITBAYES_INLINE Lanes operator*(Lanes a, Lanes b) { return Lanes(a.v * b.v); }
BITBAYES_INLINE Lanes operator/(Lanes a, Lanes b) { return Lanes(a.v / b.v); }
BITBAYES_INLINE Lanes fma(Lanes a, Lanes b, Lanes c) { return Lanes(std::fma(a.v, b.v, c.v)); }
// c - a b
BITBAYES_INLINE Lanes negative_fma(Lanes a, Lanes b, Lanes c) {
    return Lanes(std::fma(-a.v, b.v, c.v));
}
BITBAYES_INLINE Lanes abs(Lanes a) { return Lanes(std::fabs(a.v)); }
BITBAYES_INLINE Lanes sqrt(Lanes a) { return Lanes(std::sqrt(a.v)); }
BITBAYES_INLINE Lanes min(Lanes a, Lanes b) { return Lanes(b.v < a.v ? b.v : a.v); }
BITBAYES_INLINE Lanes max(Lanes a, Lanes b) { return Lanes(a.v < b.v ? b.v : a.v); }
BITBAYES_INLINE Lanes copy_sign(Lanes magnitude, Lanes sign) {
    return Lanes(std::copysign(magnitude.v, sign.v));
}
BITBAYES_INLINE Lanes if_negative(Lanes test, Lanes yes, Lanes no) {
    return std::signbit(test.v) ? yes : no;
}
// 2^n for the integer n in the low bits of `shifted` (see reduce()).
BITBAYES_INLINE Lanes power_of_two(Lanes shifted) {
    return Lanes(bits_to_float((float_to_bits(shifted.v) << 23) + 0x3f800000u));
}
BITBAYES_INLINE bool any_above(Lanes a, float limit) { return a.v > limit; }
