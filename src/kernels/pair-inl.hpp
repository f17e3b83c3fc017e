// Two Lanes side by side, included once per instruction set, inside its namespace, after Lanes: the arithmetic of one fills the waits
// of the other.

constexpr bool kPairs = kParts == 1;  // worth it, and the registers suffice

struct Pair {
    Lanes first, second;

    // Implicit: constants are the same for both.
    BITBAYES_INLINE Pair(const Lanes& both) : first(both), second(both) {}
    BITBAYES_INLINE Pair(const Lanes& a, const Lanes& b) : first(a), second(b) {}
    BITBAYES_INLINE static Pair load(const float* p) {
        return {Lanes::load(p), Lanes::load(p + kLanes)};
    }
    BITBAYES_INLINE void store(float* p) const {
        first.store(p);
        second.store(p + kLanes);
    }
};
BITBAYES_INLINE Pair operator+(const Pair& a, const Pair& b) {
    return {a.first + b.first, a.second + b.second};
}
BITBAYES_INLINE Pair operator*(const Pair& a, const Pair& b) {
    return {a.first * b.first, a.second * b.second};
}
BITBAYES_INLINE Pair fma(const Pair& a, const Pair& b, const Pair& c) {
    return {fma(a.first, b.first, c.first), fma(a.second, b.second, c.second)};
}
BITBAYES_INLINE Pair negative_fma(const Pair& a, const Pair& b, const Pair& c) {
    return {negative_fma(a.first, b.first, c.first), negative_fma(a.second, b.second, c.second)};
}
