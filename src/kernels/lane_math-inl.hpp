// Float functions on 16 lanes, included once per instruction set, inside its namespace, after a
// type Lanes. Error bounds are enforced by tests/kernels/lane_math_test.cpp.

// x = n ln 2 + r, |r| <= ln(2)/2, for -126 <= n <= 0.
struct Reduced {
    Lanes r;      // remainder
    Lanes power;  // 2^n
};

BITBAYES_INLINE Reduced reduce(Lanes x) {
    const Lanes magic(0x1.8p23f);  // adding it rounds to an integer, which is then in the low bits
    const Lanes shifted = fma(x, Lanes(1.44269504f), magic);
    const Lanes n = shifted - magic;
    Lanes r = fma(n, Lanes(-0x1.62ep-1f), x);  // high part of ln 2: n times it is exact
    r = fma(n, Lanes(-0x1.0bfbe8p-15f), r);    // low part
    return {r, power_of_two(shifted)};
}

// (e^r - 1 - r) / r^2 on |r| <= ln(2)/2, minimax for the relative error of e^r - 1: 1.5e-8.
BITBAYES_INLINE Lanes expm1_tail(Lanes r) {
    Lanes q(1.394759863615036e-3f);
    q = fma(q, r, Lanes(8.367246948182583e-3f));
    q = fma(q, r, Lanes(4.1666265577077866e-2f));
    q = fma(q, r, Lanes(1.6666537523269653e-1f));
    return fma(q, r, Lanes(0.5f));
}

// e^x for x <= 0, relative error below 2.5e-7; constant below x = `lowest`, which is -87 or more.
BITBAYES_INLINE Lanes exp_above(float lowest, Lanes x) {
    const Reduced a = reduce(max(x, Lanes(lowest)));
    const Lanes q = expm1_tail(a.r);
    return fma(fma(q * a.r, a.r, a.r), a.power, a.power);
}
BITBAYES_INLINE Lanes exp_nonpositive(Lanes x) { return exp_above(-87.0f, x); }

// 0 for what is so small that products with it would be denormal numbers.
BITBAYES_INLINE Lanes without_tiny(Lanes x) {
    return if_negative(abs(x) - Lanes(kTiny), Lanes(0.0f), x);
}

// tanh x = -e / (2 + e), e = expm1(-2|x|). Relative error below 3e-7 everywhere, |tanh| <= 1, odd,
// tanh 0 = 0.
BITBAYES_INLINE Lanes tanh(Lanes x) {
    const Reduced a = reduce(max(abs(x) * Lanes(-2.0f), Lanes(-20.0f)));
    const Lanes p = fma(expm1_tail(a.r) * a.r, a.r, a.r);
    const Lanes e = fma(p, a.power, a.power - Lanes(1.0f));
    return copy_sign(e / (Lanes(2.0f) + e), x);
}

// scale * tanh y for |y| <= kSmallTanh, relative error below 7e-7 (the polynomial's: 5e-7).
constexpr float kSmallTanh = 0.25f;
struct SmallTanh {
    static constexpr float kLimit = kSmallTanh;
    Lanes c1, c3, c5;

    BITBAYES_INLINE explicit SmallTanh(float scale)
        : c1(scale), c3(scale * -3.332457142e-01f), c5(scale * 1.287642135e-01f) {}
    template <class Some>
    BITBAYES_INLINE Some operator()(Some y) const {
        const Some s = y * y;
        return y * fma(fma(c5, s, c3), s, c1);
    }
};

// scale * e^d for |d| <= kSmallExp, relative error below 7e-7 (the polynomial's: 5.1e-7).
constexpr float kSmallExp = 0.25f;
struct SmallExp {
    Lanes c0, c1, c2, c3, c4;

    BITBAYES_INLINE explicit SmallExp(Lanes scale)
        : c0(scale * Lanes(9.99999895e-01f)),
          c1(scale * Lanes(9.999899653e-01f)),
          c2(scale * Lanes(5.000118333e-01f)),
          c3(scale * Lanes(1.673153298e-01f)),
          c4(scale * Lanes(4.155828641e-02f)) {}
    template <class Some>
    BITBAYES_INLINE Some operator()(Some d) const {
        return fma(fma(fma(fma(c4, d, c3), d, c2), d, c1), d, c0);
    }
};

// tanh y for |y| <= 1, relative error below 3e-7.
template <class Some>
BITBAYES_INLINE Some unit_tanh(Some y) {
    const Some s = y * y;
    Some p(Lanes(1.070202303e-03f));
    p = fma(p, s, Lanes(-6.294632420e-03f));
    p = fma(p, s, Lanes(2.039860308e-02f));
    p = fma(p, s, Lanes(-5.351813393e-02f));
    p = fma(p, s, Lanes(1.332683353e-01f));
    p = fma(p, s, Lanes(-3.333301700e-01f));
    return fma(y * s, p, y);
}

// scale * tanh y for |y| <= 1.
struct UnitTanh {
    static constexpr float kLimit = 1;
    Lanes scale;

    BITBAYES_INLINE explicit UnitTanh(float factor) : scale(factor) {}
    template <class Some>
    BITBAYES_INLINE Some operator()(Some y) const {
        return scale * unit_tanh(y);
    }
};

// w = tanh h of a weight, a function of h alone: a polynomial for |h| <= 1, tanh() beyond. Relative
// error below 3e-7, odd, |w| <= 1. Vectors without a large |h| never compute the second form.
BITBAYES_INLINE Lanes weight_mean(Lanes h) {
    const Lanes small = unit_tanh(h);
    const Lanes size = abs(h);
    if (!any_above(size, 1.0f)) return small;
    return if_negative(Lanes(1.0f) - size, tanh(h), small);
}

// tanh(h + dh) from w = tanh h for |dh| <= kMaxMove, absolute error below 2.5e-7:
//   w' = w + (1 - w^2) dh (1 - w dh),   the next term is (1 - w^2) (w^2 - 1/3) dh^3
// |w'| <= 1 where |w| <= 1, since |w' - w| <= (1 - |w|) 2 |dh| (1 + |dh|); a w of exactly +-1 stays.
constexpr float kMaxMove = 0x1p-7f;
template <class Some>
BITBAYES_INLINE Some moved_mean(Some w, Some dh) {
    const Lanes one(1.0f);
    return fma(negative_fma(w, w, one) * dh, negative_fma(w, dh, one), w);
}

// The Mills ratio Phi(-t) / phi(t) for t >= 0, relative error below 4e-7: r P((t - k) r) with r = 1
// / (t + k), k = 3.5.
BITBAYES_INLINE Lanes mills(Lanes t) {
    const Lanes r = Lanes(1.0f) / (t + Lanes(3.5f));
    const Lanes u = (t - Lanes(3.5f)) * r;
    Lanes p(-1.232393196e-04f);
    p = fma(p, u, Lanes(8.838043556e-05f));
    p = fma(p, u, Lanes(1.130906819e-03f));
    p = fma(p, u, Lanes(-1.050664717e-03f));
    p = fma(p, u, Lanes(-7.965110215e-03f));
    p = fma(p, u, Lanes(1.620850505e-02f));
    p = fma(p, u, Lanes(4.362925423e-02f));
    p = fma(p, u, Lanes(-2.908925177e-01f));
    p = fma(p, u, Lanes(7.906535352e-01f));
    p = fma(p, u, Lanes(-1.417653420e+00f));
    p = fma(p, u, Lanes(1.865974379e+00f));
    return p * r;
}

// phi(t) = e^(-t^2/2) / sqrt(2 pi)
BITBAYES_INLINE Lanes normal_density(Lanes t) {
    return exp_nonpositive(t * t * Lanes(-0.5f)) * Lanes(0.398942280f);
}

// The inverse Mills ratio phi(z) / Phi(-z), relative error below 3e-6 for -9 <= z <= 1e30. With t = |z|, m
// = mills(t):
//   z >= 0: 1 / m        z < 0: phi(t) / (1 - phi(t) m)
BITBAYES_INLINE Lanes inverse_mills(Lanes z) {
    const Lanes t = abs(z);
    const Lanes m = mills(t);
    const Lanes phi = normal_density(min(t, Lanes(13.0f)));
    const Lanes one(1.0f);
    return if_negative(z, phi, one) / if_negative(z, negative_fma(phi, m, one), m);
}

// (1 - 2 eps) phi(z) / (eps + (1 - 2 eps) Phi(-z)) for eps > 0, relative error below 6e-6 for |z| <= 13 where the
// result is a normal float; it vanishes on both sides. With t = |z|, q = phi(t) mills(t):
//   Phi(-z) = q for z >= 0, 1 - q for z < 0
BITBAYES_INLINE Lanes noisy_mills(Lanes z, Lanes eps) {
    const Lanes t = abs(z);
    const Lanes phi = normal_density(min(t, Lanes(13.0f)));
    const Lanes q = phi * mills(t);
    const Lanes one(1.0f), sure = negative_fma(Lanes(2.0f), eps, one);
    return sure * phi / fma(sure, if_negative(z, one - q, q), eps);
}

// 2 Phi(z) - 1, relative error below 4e-7, odd, 0 at 0:
//   |z| < 1: z P(z^2)      else: 1 - 2 phi(t) m(t)
BITBAYES_INLINE Lanes sign_mean(Lanes z) {
    const Lanes s = z * z;
    Lanes p(-1.530841726e-05f);
    p = fma(p, s, Lanes(2.269727453e-04f));
    p = fma(p, s, Lanes(-2.372659885e-03f));
    p = fma(p, s, Lanes(1.994664682e-02f));
    p = fma(p, s, Lanes(-1.329807198e-01f));
    p = fma(p, s, Lanes(7.978845602e-01f));
    const Lanes t = min(abs(z), Lanes(13.0f));
    const Lanes tail = fma(normal_density(t) * Lanes(-2.0f), mills(t), Lanes(1.0f));
    return if_negative(t - Lanes(1.0f), z * p, copy_sign(tail, z));
}
