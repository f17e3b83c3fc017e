// Forward, backward and update of one tree's part of a layer, included once per instruction set,
// inside its namespace, after Lanes and lane_math-inl.hpp. Twin: core/forward.cpp,
// core/backward.cpp
//   S_i = sum_j w_ij nu_j
//   T_i = sum_j x_j^2 (1 - w_ij^2) + floor                  l = 1
//   T_i = sum_j [1 - (w_ij nu_j)^2 + floor]                 l > 1
//   c   = S_i - w_ij nu_j
//   G   = 2 / sqrt(2 pi T) exp(-c^2 / (2 T))                l < L
//   G   = 2 / sqrt(T) f(-y c / sqrt(T)), f = phi(z)/Phi(-z) l = L
//   h  += D tanh(G x) / 2                                   l = 1
//   h  += D tanh(G) nu / 2, D_below = D tanh(G) w           l > 1

inline void weight_means(const float* h, float* w, std::size_t count) {
    for (std::size_t j = 0; j < count; j += kLanes) tanh(Lanes::load(h + j)).store(w + j);
}

inline float square_sum(const float* x, std::size_t count) {
    Lanes sum(0.0f);
    for (std::size_t j = 0; j < count; j += kLanes) {
        const Lanes v = Lanes::load_some(x + j, count - j);
        sum = fma(v, v, sum);
    }
    return sum.total();
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
Lanes load_weights(const float* row, const InputRow& input, std::size_t j) {
    if constexpr (kSparse) return Lanes::gather(row, input.index + j, input.count - j);
    return Lanes::load(row + j);
}

template <bool kSparse>
void store_weights(Lanes value, float* row, const InputRow& input, std::size_t j) {
    if constexpr (kSparse) {
        value.scatter(row, input.index + j, input.count - j);
    } else {
        value.store(row + j);
    }
}

template <bool kSparse>
Lanes load_inputs(const InputRow& input, std::size_t j) {
    if constexpr (kSparse) return Lanes::load_some(input.x + j, input.count - j);
    return Lanes::load(input.x + j);
}

template <bool kSparse>
void forward_input_rows(const MeansSlice& layer, const InputRow& input, const Moments& out) {
    const float floor = kVarianceFloor * input.square_sum + kSmallest;
    for (std::size_t i = 0; i < layer.neurons; ++i) {
        const float* row = layer.w + i * layer.stride;
        Lanes S(0.0f), T(0.0f);
        for (std::size_t j = 0; j < input.count; j += kLanes) {
            const Lanes x = load_inputs<kSparse>(input, j);
            const Lanes w = load_weights<kSparse>(row, input, j);
            S = fma(w, x, S);
            T = fma(x * x, fma(negate(w), w, Lanes(1.0f)), T);
        }
        out.S[i] = S.total();
        out.T[i] = T.total() + floor;
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
            T = T + fma(negate(p), p, Lanes::ones(layer.fan_in - j));
        }
        out.S[i] = S.total();
        out.T[i] = T.total() + floor;
    }
    sign_means(out, layer.neurons);
}

// What G needs of a neuron.
struct Gain {
    Lanes S, exponent, height, slope, scale;

    Gain(float S_i, float T_i, float y)
        : S(S_i),
          exponent(-0.5f / T_i),
          height(0.797884561f / std::sqrt(T_i)),  // 2 / sqrt(2 pi T)
          slope(-y / std::sqrt(T_i)),
          scale(2.0f / std::sqrt(T_i)) {}

    template <bool kOutput>
    Lanes at(Lanes w, Lanes nu) const {
        const Lanes c = fma(negate(w), nu, S);
        if constexpr (kOutput) return scale * inverse_mills(slope * c);
        return height * exp_nonpositive(c * c * exponent);
    }
};

template <bool kOutput, bool kSparse>
void backward_input_rows(const LayerSlice& layer, const InputRow& input, const Moments& moments,
                         const Messages& messages) {
    for (std::size_t i = 0; i < layer.neurons; ++i) {
        const float D = messages.D[i];
        const Gain gain(moments.S[i], moments.T[i], D);
        const Lanes step(0.5f * messages.evidence * D);
        float* h_row = layer.h + i * layer.stride;
        float* w_row = layer.w + i * layer.stride;
        for (std::size_t j = 0; j < input.count; j += kLanes) {
            const Lanes x = load_inputs<kSparse>(input, j);
            const Lanes w = load_weights<kSparse>(w_row, input, j);
            const Lanes G = gain.template at<kOutput>(w, x);
            const Lanes h = fma(step, tanh(G * x), load_weights<kSparse>(h_row, input, j));
            store_weights<kSparse>(h, h_row, input, j);
            store_weights<kSparse>(tanh(h), w_row, input, j);
        }
    }
}

inline void backward_input(const LayerSlice& layer, const InputRow& input, const Moments& moments,
                           const Messages& messages) {
    const bool sparse = input.index != nullptr;
    const auto rows =
        messages.output
            ? (sparse ? backward_input_rows<true, true> : backward_input_rows<true, false>)
            : (sparse ? backward_input_rows<false, true> : backward_input_rows<false, false>);
    rows(layer, input, moments, messages);
}

template <bool kOutput>
void backward_hidden_rows(const LayerSlice& layer, const float* nu, const Moments& moments,
                          const Messages& messages, float* D_below) {
    for (std::size_t i = 0; i < layer.neurons; ++i) {
        const float D = messages.D[i];
        const Gain gain(moments.S[i], moments.T[i], D);
        const Lanes half(0.5f * messages.evidence);
        float* h_row = layer.h + i * layer.stride;
        float* w_row = layer.w + i * layer.stride;
        for (std::size_t j = 0; j < layer.fan_in; j += kLanes) {
            const std::size_t left = layer.fan_in - j;
            const Lanes v = Lanes::load_some(nu + i * layer.fan_in + j, left);
            const Lanes w = Lanes::load(w_row + j);
            const Lanes R = Lanes(D) * tanh(gain.template at<kOutput>(w, v));
            (R * w).store_some(D_below + i * layer.fan_in + j, left);
            const Lanes h = fma(half * R, v, Lanes::load(h_row + j));
            h.store(h_row + j);
            tanh(h).store(w_row + j);
        }
    }
}

inline void backward_hidden(const LayerSlice& layer, const float* nu, const Moments& moments,
                            const Messages& messages, float* D_below) {
    if (messages.output) {
        backward_hidden_rows<true>(layer, nu, moments, messages, D_below);
    } else {
        backward_hidden_rows<false>(layer, nu, moments, messages, D_below);
    }
}

inline KernelTable make_table(const char* name) {
    return {name,           weight_means,   square_sum,     forward_input,
            forward_hidden, backward_input, backward_hidden};
}
