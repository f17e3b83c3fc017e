// BackProp, the paper's baseline, on real weights: online gradient descent on the squared error
// E = 1/2 sum_i (y_i - v_i)^2. Included once per instruction set, inside its namespace, after
// tree_kernels-inl.hpp, whose functions it mirrors, and backprop_math-inl.hpp. Twin: tests/learn/plain_backprop.hpp
//   u_i     = sum_j W_ij v_j
//   v_i     = s(u_i),           s(u) = A tanh(B u), A = 1.7159, B = 2/3
//   delta_i = (y_i - v_i) s'(u_i)      l = L
//   delta_i = D_i s'(u_i)              l < L,   s' = B/A (A^2 - v^2)
//   D_below = delta_i W_ij             with the old W
//   W_ij   += eta delta_i v_j

namespace backprop {

inline void activate(const Moments& out, std::size_t neurons) {
    for (std::size_t i = 0; i < neurons; i += kLanes) {
        const std::size_t left = neurons - i;
        const Lanes u = Lanes::load_some(out.S + i, left);
        activity(u).store_some(out.nu + i, left);
        Lanes(1.0f).store_some(out.T + i, left);
    }
}

inline float delta(const Moments& moments, const Messages& messages, std::size_t i) {
    const float v = moments.nu[i], D = messages.D[i];
    return (messages.output ? D - v : D) * slope(v);
}

// Rows that go through a layer together: their sums are independent chains, and each input is
// loaded once for all of them. The order of summation within a row stays the same.
constexpr std::size_t kTogether = 4;

template <bool kSparse, std::size_t kRows>
void forward_rows(const float* w, std::size_t stride, const InputRow& input, float* u) {
    Lanes sum[kRows];
    for (Lanes& s : sum) s = Lanes(0.0f);
    for (std::size_t j = 0; j < input.count; j += kLanes) {
        const Lanes x = load_inputs<kSparse>(input, j);
        for (std::size_t r = 0; r < kRows; ++r) {
            sum[r] = fma(load_weights<kSparse>(w + r * stride, input, j), x, sum[r]);
        }
    }
    for (std::size_t r = 0; r < kRows; ++r) u[r] = sum[r].total();
}

template <bool kSparse>
void forward_all(const MeansSlice& layer, const InputRow& input, const Moments& out) {
    std::size_t i = 0;
    for (; i + kTogether <= layer.neurons; i += kTogether) {
        forward_rows<kSparse, kTogether>(layer.w + i * layer.stride, layer.stride, input,
                                         out.S + i);
    }
    for (; i < layer.neurons; ++i) {
        forward_rows<kSparse, 1>(layer.w + i * layer.stride, layer.stride, input, out.S + i);
    }
    activate(out, layer.neurons);
}

inline void forward_input(const MeansSlice& layer, const InputRow& input, const Moments& out) {
    if (input.index == nullptr) {
        forward_all<false>(layer, input, out);
    } else {
        forward_all<true>(layer, input, out);
    }
}

inline void forward_hidden(const MeansSlice& layer, const float* v, const Moments& out) {
    for (std::size_t i = 0; i < layer.neurons; ++i) {
        const float* row = layer.w + i * layer.stride;
        Lanes sum(0.0f);
        for (std::size_t j = 0; j < layer.fan_in; j += kLanes) {
            const Lanes below = Lanes::load_some(v + i * layer.fan_in + j, layer.fan_in - j);
            sum = fma(Lanes::load(row + j), below, sum);
        }
        out.S[i] = sum.total();
    }
    activate(out, layer.neurons);
}

// W += step x and, if kNext, u of the next sample.
template <bool kSparse, bool kNext, std::size_t kRows>
void learn_rows(float* w, std::size_t stride, const InputRow& input, const float* step,
                const InputRow* next, float* next_u) {
    Lanes sum[kRows], steps[kRows];
    for (std::size_t r = 0; r < kRows; ++r) {
        sum[r] = Lanes(0.0f);
        steps[r] = Lanes(step[r]);
    }
    for (std::size_t j = 0; j < input.count; j += kLanes) {
        const Lanes x = load_inputs<kSparse>(input, j);
        Lanes x_next(0.0f);
        if constexpr (kNext) x_next = Lanes::load(next->x + j);
        for (std::size_t r = 0; r < kRows; ++r) {
            float* row = w + r * stride;
            const Lanes moved = fma(steps[r], x, load_weights<kSparse>(row, input, j));
            store_weights<kSparse>(moved, row, input, j);
            if constexpr (kNext) sum[r] = fma(moved, x_next, sum[r]);
        }
    }
    if constexpr (kNext) {
        for (std::size_t r = 0; r < kRows; ++r) next_u[r] = sum[r].total();
    }
}

template <bool kSparse, bool kNext>
void learn_all(const LayerSlice& layer, const InputRow& input, const Moments& moments,
               const Messages& messages, const InputRow* next, const Moments& next_moments) {
    float step[kTogether];
    for (std::size_t i = 0; i < layer.neurons;) {
        const std::size_t rows = i + kTogether <= layer.neurons ? kTogether : 1;
        for (std::size_t r = 0; r < rows; ++r) {
            step[r] = messages.rate * delta(moments, messages, i + r);
        }
        float* w = layer.w + i * layer.stride;
        float* next_u = kNext ? next_moments.S + i : nullptr;
        if (rows == kTogether) {
            learn_rows<kSparse, kNext, kTogether>(w, layer.stride, input, step, next, next_u);
        } else {
            learn_rows<kSparse, kNext, 1>(w, layer.stride, input, step, next, next_u);
        }
        i += rows;
    }
    if constexpr (kNext) activate(next_moments, layer.neurons);
}

inline void learn_input(const LayerSlice& layer, const InputRow& input, const Moments& moments,
                        const Messages& messages, const InputRow* next,
                        const Moments& next_moments) {
    if (input.index != nullptr) {
        learn_all<true, false>(layer, input, moments, messages, nullptr, next_moments);
        if (next != nullptr) forward_input({layer, layer.w}, *next, next_moments);
    } else if (next != nullptr) {
        learn_all<false, true>(layer, input, moments, messages, next, next_moments);
    } else {
        learn_all<false, false>(layer, input, moments, messages, nullptr, next_moments);
    }
}

inline void backward_hidden(const LayerSlice& layer, const float* v, const Moments& moments,
                            const Messages& messages, float* D_below) {
    for (std::size_t i = 0; i < layer.neurons; ++i) {
        const Lanes d(delta(moments, messages, i));
        const Lanes step = Lanes(messages.rate) * d;
        float* row = layer.w + i * layer.stride;
        for (std::size_t j = 0; j < layer.fan_in; j += kLanes) {
            const std::size_t at = i * layer.fan_in + j, left = layer.fan_in - j;
            const Lanes w = Lanes::load(row + j);
            (d * w).store_some(D_below + at, left);
            fma(step, Lanes::load_some(v + at, left), w).store(row + j);
        }
    }
}

constexpr TreeRule kRule{forward_input, forward_hidden, learn_input, backward_hidden};

}  // namespace backprop
