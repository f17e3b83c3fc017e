// Sixteen lanes as an array: the plain twin of every SIMD level. Included inside a namespace, like
// the files after it.

constexpr std::size_t kParts = kLanes;  // instructions per operation

struct Lanes {
    float v[kLanes];

    Lanes() = default;
    explicit Lanes(float value) { std::fill_n(v, kLanes, value); }

    static Lanes load(const float* p) { return load_some(p, kLanes); }
    static Lanes load_some(const float* p, std::size_t count) {
        Lanes r(0.0f);
        std::copy_n(p, std::min(count, kLanes), r.v);
        return r;
    }
    static Lanes gather(const float* base, const std::uint32_t* index, std::size_t count) {
        Lanes r(0.0f);
        for (std::size_t k = 0; k < std::min(count, kLanes); ++k) r.v[k] = base[index[k]];
        return r;
    }
    static Lanes ones(std::size_t count) {
        Lanes r(0.0f);
        std::fill_n(r.v, std::min(count, kLanes), 1.0f);
        return r;
    }
    void store(float* p) const { std::copy_n(v, kLanes, p); }
    void store_some(float* p, std::size_t count) const {
        std::copy_n(v, std::min(count, kLanes), p);
    }
    void scatter(float* base, const std::uint32_t* index, std::size_t count) const {
        for (std::size_t k = 0; k < std::min(count, kLanes); ++k) base[index[k]] = v[k];
    }
    float largest() const { return *std::max_element(v, v + kLanes); }
    float smallest() const { return *std::min_element(v, v + kLanes); }
    /// Lanes i and i+8, then i and i+4, i and i+2, i and i+1.
    float total() const {
        Lanes r = *this;
        for (std::size_t half = kLanes / 2; half > 0; half /= 2) {
            for (std::size_t k = 0; k < half; ++k) r.v[k] += r.v[k + half];
        }
        return r.v[0];
    }
};

template <class Op>
Lanes map(Op op) {
    Lanes r;
    for (std::size_t k = 0; k < kLanes; ++k) r.v[k] = op(k);
    return r;
}

inline Lanes operator+(const Lanes& a, const Lanes& b) {
    return map([&](auto k) { return a.v[k] + b.v[k]; });
}
inline Lanes operator-(const Lanes& a, const Lanes& b) {
    return map([&](auto k) { return a.v[k] - b.v[k]; });
}
inline Lanes operator*(const Lanes& a, const Lanes& b) {
    return map([&](auto k) { return a.v[k] * b.v[k]; });
}
inline Lanes operator/(const Lanes& a, const Lanes& b) {
    return map([&](auto k) { return a.v[k] / b.v[k]; });
}
inline Lanes fma(const Lanes& a, const Lanes& b, const Lanes& c) {
    return map([&](auto k) { return std::fma(a.v[k], b.v[k], c.v[k]); });
}
/// c - a b
inline Lanes negative_fma(const Lanes& a, const Lanes& b, const Lanes& c) {
    return map([&](auto k) { return std::fma(-a.v[k], b.v[k], c.v[k]); });
}
inline Lanes abs(const Lanes& a) {
    return map([&](auto k) { return std::fabs(a.v[k]); });
}
inline Lanes sqrt(const Lanes& a) {
    return map([&](auto k) { return std::sqrt(a.v[k]); });
}
inline Lanes min(const Lanes& a, const Lanes& b) {
    return map([&](auto k) { return std::min(a.v[k], b.v[k]); });
}
inline Lanes max(const Lanes& a, const Lanes& b) {
    return map([&](auto k) { return std::max(a.v[k], b.v[k]); });
}
inline Lanes copy_sign(const Lanes& magnitude, const Lanes& sign) {
    return map([&](auto k) { return std::copysign(magnitude.v[k], sign.v[k]); });
}
inline Lanes if_negative(const Lanes& test, const Lanes& yes, const Lanes& no) {
    return map([&](auto k) { return std::signbit(test.v[k]) ? yes.v[k] : no.v[k]; });
}
/// 2^n for the integer n in the low bits of `shifted` (see reduce()).
inline Lanes power_of_two(const Lanes& shifted) {
    return map([&](auto k) {
        return std::bit_cast<float>((std::bit_cast<std::uint32_t>(shifted.v[k]) << 23) +
                                    0x3f800000u);
    });
}
inline bool any_above(const Lanes& a, float limit) {
    return std::any_of(a.v, a.v + kLanes, [&](float x) { return x > limit; });
}
