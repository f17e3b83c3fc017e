// The dense rule on batches, included once per instruction set, inside its namespace, after Lanes and
// lane_math-inl.hpp. Twin: core/dense_step.cpp
//   S_i = sum_j w_ij nu_j
//   T_i = sum_j nu_j^2 (1 - w_ij^2) + sum_j [1 - nu_j^2 (l > 1)] + floor,   z = S / sqrt(T)
//   d_i = y f(-y z_i) / sqrt(T_i)          l = L, f as in tree_kernels-inl.hpp
//   e_j = sum_i w_ij d_i,  d_j = e_j 2 phi(z_j) / sqrt(T_j)
//   h_ij += tanh(rate sum over rows of d_i nu_j),  w = tanh h
// BackProp: S = u, v = s(u), d_i = (y - v) s'(u), d_j = e_j s'(u_j), W_ij += rate sum d_i v_j
//
// A panel's 16 neurons are the lanes. Sums run over inputs, neurons or rows one by one, or in the
// fixed order of 16 lanes (variance_of, message_row), so their bits depend neither on the tiles nor
// on the number of lanes in a register.

namespace dense {

// Accumulators of a tile fill the registers: 16 of AVX2, 32 of the others. Each number of one side meets kWide vectors of the
// other: with AVX-512 and one vector, loads would take longer than products.
constexpr std::size_t kTile = kParts == 1 ? 12 : kParts <= 4 ? 6 : 2;
constexpr std::size_t kWide = kParts == 1 ? 2 : 1;
constexpr std::size_t kInputBlock = 256;  // inputs whose weights stay in the first cache

// One of the two products: S, or with kVariance U.
template <bool kVariance, std::size_t kPanels, std::size_t kRows>
BITBAYES_INLINE void forward_tile(const DenseMeans& panels, std::size_t first, std::size_t last,
                                  const DenseInputs& in, std::size_t row, const DenseSums& out) {
    Lanes sum[kPanels * kRows];
    float* sums = (kVariance ? out.U : out.S) + row * out.stride;
    const float* x = (kVariance ? in.squares : in.x) + row * in.stride;
    for (std::size_t p = 0; p < kPanels; ++p) {
        for (std::size_t r = 0; r < kRows; ++r) {
            sum[p * kRows + r] = Lanes::load(sums + r * out.stride + p * kLanes);
        }
    }
    for (std::size_t j = first; j < last; ++j) {
        Lanes w[kPanels];
        for (std::size_t p = 0; p < kPanels; ++p) {
            w[p] = Lanes::load(panels.w + p * panels.stride + j * kLanes);
            if constexpr (kVariance) w[p] = negative_fma(w[p], w[p], Lanes(1.0f));
        }
        for (std::size_t r = 0; r < kRows; ++r) {
            const Lanes x_j(x[r * in.stride + j]);
            for (std::size_t p = 0; p < kPanels; ++p) {
                sum[p * kRows + r] = fma(w[p], x_j, sum[p * kRows + r]);
            }
        }
    }
    for (std::size_t p = 0; p < kPanels; ++p) {
        for (std::size_t r = 0; r < kRows; ++r) {
            sum[p * kRows + r].store(sums + r * out.stride + p * kLanes);
        }
    }
}

inline void clear(const DenseMeans& panels, std::size_t rows, const DenseSums& out, bool variance) {
    for (std::size_t r = 0; r < rows; ++r) {
        std::fill_n(out.S + r * out.stride, panels.count * kLanes, 0.0f);
        if (variance) std::fill_n(out.U + r * out.stride, panels.count * kLanes, 0.0f);
    }
}

template <class Panels>
Panels from_panel(Panels panels, std::size_t p) {
    if constexpr (requires { panels.h; }) {
        if (panels.h != nullptr) panels.h += p * panels.stride;
    }
    panels.w += p * panels.stride;
    panels.count -= p;
    return panels;
}

inline DenseSums sums_from(const DenseSums& sums, std::size_t p) {
    return {sums.S + p * kLanes, sums.U + p * kLanes, sums.stride};
}

// The last `rest` rows, fewer than a tile.
template <bool kVariance, std::size_t kPanels, std::size_t kRows>
void forward_rest(const DenseMeans& panels, std::size_t first, std::size_t last,
                  const DenseInputs& in, std::size_t rest, const DenseSums& out) {
    if constexpr (kRows > 0) {
        if (rest < kRows) {
            return forward_rest<kVariance, kPanels, kRows - 1>(panels, first, last, in, rest, out);
        }
        forward_tile<kVariance, kPanels, kRows>(panels, first, last, in, in.rows - kRows, out);
    }
}

template <bool kVariance, std::size_t kPanels, std::size_t kRows>
void forward_block(const DenseMeans& panels, std::size_t first, std::size_t last,
                   const DenseInputs& in, const DenseSums& out) {
    std::size_t r = 0;
    for (; r + kRows <= in.rows; r += kRows) {
        forward_tile<kVariance, kPanels, kRows>(panels, first, last, in, r, out);
    }
    forward_rest<kVariance, kPanels, kRows - 1>(panels, first, last, in, in.rows - r, out);
}

// Both products read a block of weights while it is in the first cache.
template <bool kVariance, std::size_t kPanels, std::size_t kRows>
void forward_rows(const DenseMeans& panels, const DenseInputs& in, const DenseSums& out) {
    constexpr std::size_t kBlock = kInputBlock / kPanels;
    std::size_t p = 0;
    for (; p + kPanels <= panels.count; p += kPanels) {
        const DenseMeans some = from_panel(panels, p);
        const DenseSums sums = sums_from(out, p);
        for (std::size_t first = 0; first < panels.inputs; first += kBlock) {
            const std::size_t last = std::min(panels.inputs, first + kBlock);
            forward_block<false, kPanels, kRows>(some, first, last, in, sums);
            if constexpr (kVariance) {
                forward_block<true, kPanels, kRows>(some, first, last, in, sums);
            }
        }
    }
    if constexpr (kPanels > 1) {
        if (p < panels.count) {
            forward_rows<kVariance, 1, kRows>(from_panel(panels, p), in, sums_from(out, p));
        }
    }
}

template <bool kVariance>
void forward_sparse(const DenseMeans& panels, const DenseInputs& in, const DenseSums& out) {
    for (std::size_t p = 0; p < panels.count; ++p) {
        const float* w = panels.w + p * panels.stride;
        for (std::size_t r = 0; r < in.rows; ++r) {
            Lanes S(0.0f), U(0.0f);
            for (std::size_t k = in.row_start[r]; k < in.row_start[r + 1]; ++k) {
                const Lanes w_j = Lanes::load(w + in.index[k] * kLanes);
                S = fma(w_j, Lanes(in.x[k]), S);
                if constexpr (kVariance) {
                    U = fma(negative_fma(w_j, w_j, Lanes(1.0f)), Lanes(in.squares[k]), U);
                }
            }
            S.store(out.S + r * out.stride + p * kLanes);
            if constexpr (kVariance) U.store(out.U + r * out.stride + p * kLanes);
        }
    }
}

template <bool kVariance>
void forward(const DenseMeans& panels, const DenseInputs& in, const DenseSums& out) {
    if (in.row_start != nullptr) return forward_sparse<kVariance>(panels, in, out);
    clear(panels, in.rows, out, kVariance);
    if (in.rows >= kTile) return forward_rows<kVariance, kWide, kTile>(panels, in, out);
    forward_rows<kVariance, 3, 1>(panels, in, out);  // several panels keep the arithmetic busy
}

// nu, its square and 2 phi(z) / sqrt(T) of `count` neurons of one row, a multiple of 16.
inline void activate(const DenseNeurons& row, float base, std::size_t count) {
    for (std::size_t i = 0; i < count; i += kLanes) {
        const Lanes root = sqrt(Lanes::load(row.U + i) + Lanes(base));
        const Lanes z = Lanes::load(row.S + i) / root;
        const Lanes nu = sign_mean(z);
        nu.store(row.nu + i);
        (nu * nu).store(row.squares + i);
        const Lanes t = min(abs(z), Lanes(13.0f));
        without_tiny(Lanes(2.0f) * normal_density(t) / root).store(row.gain + i);
    }
}

// sum_j [kept_j - nu_j^2]; no `kept`: all are.
inline float variance_of(const float* nu, const float* kept, std::size_t count) {
    Lanes sum(0.0f);
    for (std::size_t i = 0; i < count; i += kLanes) {
        const Lanes v = Lanes::load_some(nu + i, count - i);
        const Lanes one =
            kept == nullptr ? Lanes::ones(count - i) : Lanes::load_some(kept + i, count - i);
        sum = sum + negative_fma(v, v, one);
    }
    return sum.total();
}

// +1 for the label's output, -1 for the others; one output: +1 for class 1.
inline Lanes label_signs(const DenseLabel& label, std::size_t first) {
    float y[kLanes];
    std::fill_n(y, kLanes, -1.0f);
    const std::size_t at = label.outputs == 1 ? label.index - 1u : label.index - first;
    if (at < kLanes) y[at] = 1.0f;
    return Lanes::load(y);
}

// z of the outputs of one row, and d for the label.
inline void target(const DenseNeurons& row, float base, const DenseLabel& label, float* z,
                   float* d) {
    for (std::size_t k = 0; k < label.outputs; k += kLanes) {
        const std::size_t left = label.outputs - k;
        const Lanes root = sqrt(Lanes::load_some(row.U + k, left) + Lanes(base));
        const Lanes z_k = Lanes::load_some(row.S + k, left) / root;
        z_k.store_some(z + k, left);
        const Lanes y = label_signs(label, k), surprise = Lanes(0.0f) - y * z_k;
        const Lanes f = label.eps == nullptr
                            ? inverse_mills(surprise)
                            : noisy_mills(surprise, Lanes::load_some(label.eps + k, left));
        without_tiny(y * Lanes(label.weight) * f / root).store_some(d + k, left);
    }
}

// e of `count` columns: rows are the lanes, dT and eT hold a neuron's rows side by side.
template <std::size_t kVectors, std::size_t kColumns>
BITBAYES_INLINE void message_tile(const DenseMeans& panels, std::size_t column, std::size_t first,
                                  std::size_t last, const float* dT, float* eT, std::size_t rows) {
    Lanes e[kVectors * kColumns];
    for (std::size_t v = 0; v < kVectors; ++v) {
        for (std::size_t c = 0; c < kColumns; ++c) {
            e[v * kColumns + c] = Lanes::load(eT + (column + c) * rows + v * kLanes);
        }
    }
    for (std::size_t p = first; p < last; ++p) {
        const float* w = panels.w + p * panels.stride + column * kLanes;
        const float* d = dT + p * kLanes * rows;
        for (std::size_t i = 0; i < kLanes; ++i) {
            Lanes d_i[kVectors];
            for (std::size_t v = 0; v < kVectors; ++v) {
                d_i[v] = Lanes::load(d + i * rows + v * kLanes);
            }
            for (std::size_t c = 0; c < kColumns; ++c) {
                const Lanes w_i(w[c * kLanes + i]);
                for (std::size_t v = 0; v < kVectors; ++v) {
                    e[v * kColumns + c] = fma(w_i, d_i[v], e[v * kColumns + c]);
                }
            }
        }
    }
    for (std::size_t v = 0; v < kVectors; ++v) {
        for (std::size_t c = 0; c < kColumns; ++c) {
            e[v * kColumns + c].store(eT + (column + c) * rows + v * kLanes);
        }
    }
}

template <std::size_t kColumns>
void message_columns(const DenseMeans& panels, std::size_t column, std::size_t first,
                     std::size_t last, const float* dT, float* eT, std::size_t rows) {
    std::size_t r = 0;
    for (; r + kWide * kLanes <= rows; r += kWide * kLanes) {
        message_tile<kWide, kColumns>(panels, column, first, last, dT + r, eT + r, rows);
    }
    if (r < rows) message_tile<1, kColumns>(panels, column, first, last, dT + r, eT + r, rows);
}

inline void message(const DenseMeans& panels, std::size_t column, std::size_t count,
                    const float* dT, float* eT, std::size_t rows) {
    constexpr std::size_t kPanelBlock = 16;
    std::fill_n(eT + column * rows, count * rows, 0.0f);
    const std::size_t end = column + count;
    for (std::size_t first = 0; first < panels.count; first += kPanelBlock) {
        const std::size_t last = std::min(panels.count, first + kPanelBlock);
        std::size_t c = column;
        for (; c + kTile <= end; c += kTile) {
            message_columns<kTile>(panels, c, first, last, dT, eT, rows);
        }
        for (; c < end; ++c) message_columns<1>(panels, c, first, last, dT, eT, rows);
    }
}

// The same for one row, whose neurons are the lanes.
inline void message_row(const DenseMeans& panels, std::size_t column, std::size_t count,
                        const float* d, float* e) {
    constexpr std::size_t kTogether = 4;
    for (std::size_t c = column; c < column + count; c += kTogether) {
        const std::size_t some = std::min(kTogether, column + count - c);
        Lanes sum[kTogether];
        for (Lanes& each : sum) each = Lanes(0.0f);
        for (std::size_t p = 0; p < panels.count; ++p) {
            const Lanes d_p = Lanes::load(d + p * kLanes);
            const float* w = panels.w + p * panels.stride + c * kLanes;
            for (std::size_t k = 0; k < some; ++k) {
                sum[k] = fma(Lanes::load(w + k * kLanes), d_p, sum[k]);
            }
        }
        for (std::size_t k = 0; k < some; ++k) e[c + k] = sum[k].total();
    }
}

// What a rule does with A, the sum over rows of d_i nu_j.
struct MfbStep {
    float rate;

    BITBAYES_INLINE void at(float* h, float* w, Lanes A) const {
        const Lanes a = Lanes(rate) * A;
        const bool small = !any_above(abs(a), kSmallTanh);
        const Lanes moved = Lanes::load(h) + (small ? SmallTanh(1.0f)(a) : tanh(a));
        moved.store(h);
        weight_mean(moved).store(w);
    }
};

struct BackpropStep {
    float rate;

    BITBAYES_INLINE void at(float*, float* w, Lanes A) const {
        fma(Lanes(rate), A, Lanes::load(w)).store(w);
    }
};

template <std::size_t kPanels, std::size_t kColumns, class Step>
BITBAYES_INLINE void learn_tile(const DensePanels& panels, std::size_t column, const float* x,
                                const float* d, const DenseLesson& lesson, const Step& step) {
    Lanes A[kPanels * kColumns];
    for (Lanes& each : A) each = Lanes(0.0f);
    for (std::size_t r = 0; r < lesson.rows; ++r) {
        const float* x_r = x + r * lesson.x_stride + column;
        Lanes d_r[kPanels];
        for (std::size_t p = 0; p < kPanels; ++p) {
            d_r[p] = Lanes::load(d + r * lesson.d_stride + p * kLanes);
        }
        for (std::size_t c = 0; c < kColumns; ++c) {
            const Lanes x_c(x_r[c]);
            for (std::size_t p = 0; p < kPanels; ++p) {
                A[p * kColumns + c] = fma(d_r[p], x_c, A[p * kColumns + c]);
            }
        }
    }
    for (std::size_t p = 0; p < kPanels; ++p) {
        for (std::size_t c = 0; c < kColumns; ++c) {
            const std::size_t at = p * panels.stride + (column + c) * kLanes;
            step.at(panels.h + at, panels.w + at, A[p * kColumns + c]);
        }
    }
}

template <std::size_t kPanels, class Step>
void learn_panels(const DensePanels& panels, const float* x, const float* d,
                  const DenseLesson& lesson, const Step& step) {
    std::size_t p = 0;
    for (; p + kPanels <= panels.count; p += kPanels) {
        const DensePanels some = from_panel(panels, p);
        const float* d_p = d + p * kLanes;
        std::size_t j = 0;
        for (; j + kTile <= panels.inputs; j += kTile) {
            learn_tile<kPanels, kTile>(some, j, x, d_p, lesson, step);
        }
        for (; j < panels.inputs; ++j) learn_tile<kPanels, 1>(some, j, x, d_p, lesson, step);
    }
    if constexpr (kPanels > 1) {
        if (p < panels.count) {
            learn_panels<1>(from_panel(panels, p), x, d + p * kLanes, lesson, step);
        }
    }
}

template <class Step>
void learn(const DensePanels& panels, const float* x, const float* d, const DenseLesson& lesson) {
    learn_panels<kWide>(panels, x, d, lesson, Step{lesson.rate});
}

template <class Step>
void learn_sparse(const DensePanels& panels, const SparseColumns& columns, const float* d,
                  const DenseLesson& lesson) {
    const Step step{lesson.rate};
    for (std::size_t p = 0; p < panels.count; ++p) {
        const DensePanels panel = from_panel(panels, p);
        for (std::size_t c = 0; c < columns.count; ++c) {
            Lanes A(0.0f);
            for (std::size_t k = columns.start[c]; k < columns.start[c + 1]; ++k) {
                A = fma(Lanes::load(d + columns.row[k] * lesson.d_stride + p * kLanes),
                        Lanes(columns.x[k]), A);
            }
            const std::size_t at = columns.column[c] * kLanes;
            step.at(panel.h + at, panel.w + at, A);
        }
    }
}

// A layer of trees: neuron i reads nu[i K] .. nu[i K + K - 1]; its weights are a row.
inline void tree_message(const MeansSlice& layer, const float* d, float* e) {
    for (std::size_t i = 0; i < layer.neurons; ++i) {
        for (std::size_t j = 0; j < layer.fan_in; j += kLanes) {
            (Lanes(d[i]) * Lanes::load(layer.w + i * layer.stride + j))
                .store_some(e + i * layer.fan_in + j, layer.fan_in - j);
        }
    }
}

template <class Step>
void tree_learn(const LayerSlice& layer, const float* x, const float* d,
                const DenseLesson& lesson) {
    const Step step{lesson.rate};
    for (std::size_t i = 0; i < layer.neurons; ++i) {
        for (std::size_t j = 0; j < layer.fan_in; j += kLanes) {
            Lanes A(0.0f);
            for (std::size_t r = 0; r < lesson.rows; ++r) {
                const float* x_r = x + r * lesson.x_stride + i * layer.fan_in + j;
                A = fma(Lanes(d[r * lesson.d_stride + i]), Lanes::load_some(x_r, layer.fan_in - j),
                        A);
            }
            const std::size_t at = i * layer.stride + j;
            step.at(layer.h + at, layer.w + at, A);
        }
    }
}

// v = s(u), its square and s'(u).
inline void backprop_activate(const DenseNeurons& row, float, std::size_t count) {
    using namespace backprop;
    for (std::size_t i = 0; i < count; i += kLanes) {
        const Lanes v = activity(Lanes::load(row.S + i));
        v.store(row.nu + i);
        slope(v).store(row.gain + i);
    }
}

inline void backprop_target(const DenseNeurons& row, float, const DenseLabel& label, float* z,
                            float* d) {
    using namespace backprop;
    for (std::size_t k = 0; k < label.outputs; k += kLanes) {
        const std::size_t left = label.outputs - k;
        const Lanes u = Lanes::load_some(row.S + k, left);
        u.store_some(z + k, left);
        const Lanes v = activity(u);
        (Lanes(label.weight) * (label_signs(label, k) - v) * slope(v)).store_some(d + k, left);
    }
}

constexpr DenseRule kMfbRule{forward<true>,         activate,           target, learn<MfbStep>,
                             learn_sparse<MfbStep>, tree_learn<MfbStep>};
constexpr DenseRule kBackpropRule{
    forward<false>,      backprop_activate,          backprop_target,
    learn<BackpropStep>, learn_sparse<BackpropStep>, tree_learn<BackpropStep>};
constexpr DenseSteps kSteps{variance_of, message, message_row, tree_message};

}  // namespace dense

inline KernelTable make_table(const char* name) {
    return {name,
            weight_means,
            measure,
            kMfb,
            backprop::kRule,
            dense::kMfbRule,
            dense::kBackpropRule,
            dense::kSteps,
            fma_chains};
}
