// Batches through dense layers; included inside a namespace after input_rows-inl.hpp and dense_product-inl.hpp. Twin: kernels/dense_kernels-inl.hpp, whose bits
// these are: every sum of a product is carried by one thread and runs over inputs, neurons or rows one by one, as in a lane of the
// CPU.
//   S_i = sum_j w_ij nu_j,  T_i = sum_j nu_j^2 (1 - w_ij^2) + base      forward
//   e_j = sum_i w_ij d_i,   d_j = e_j gain_j                            message
//   h_ij += tanh(rate sum over rows of d_i nu_j),  w = tanh h           update

// What becomes of a neuron's sums; T = U + base.
template <class Rule, bool kTop>
BITBAYES_INLINE void finish_neuron(const DenseWork& work, std::uint32_t r, std::uint32_t i, Lanes S,
                                   Lanes U, float base) {
    const std::size_t at = static_cast<std::size_t>(r) * work.own.stride + i;
    const Lanes root = Rule::kHasH ? sqrt(U + Lanes(base)) : Lanes(1.0f), z = S / root;
    if constexpr (kTop) {
        const std::uint32_t outputs = work.layer.neurons;
        work.z[static_cast<std::size_t>(r) * outputs + i] = z.v;
        if (work.own.d == nullptr) return;  // only an answer
        const RowFacts facts = work.facts[r];
        const Lanes y(facts.label == (outputs == 1 ? 1u : i) ? 1.0f : -1.0f), weight(facts.weight);
        if constexpr (Rule::kHasH) {
            const Lanes surprise = Lanes(0.0f) - y * z;
            const Lanes f = work.eps == nullptr ? inverse_mills(surprise)
                                                : noisy_mills(surprise, Lanes(work.eps[i]));
            work.own.d[at] = without_tiny(y * weight * f / root).v;
        } else {
            const Lanes v = backprop::activity(z);
            work.own.d[at] = (weight * (y - v) * backprop::slope(v)).v;
        }
    } else {
        Lanes nu, gain;
        if constexpr (Rule::kHasH) {
            nu = sign_mean(z);
            gain = without_tiny(Lanes(2.0f) * normal_density(min(abs(z), Lanes(13.0f))) / root);
        } else {
            nu = backprop::activity(z);
            gain = backprop::slope(nu);
        }
        const Lanes stays(kept(work.dropout, r, i));
        work.own.nu[at] = (nu * stays).v;
        work.own.gain[at] = (gain * stays).v;
        if (i + 1 == work.layer.neurons) work.own.nu[at + 1] = 1;  // the constant
    }
}

template <class Rule, DenseStep kStep, TileSize kSize, class Team>
BITBAYES_INLINE void forward_tile(const Team& team, const DenseWork& work, float* shared) {
    constexpr std::uint32_t kPlanes = planes(kStep, !Rule::kHasH);
    using Tile = typename TileOf<kStep, kSize>::Type;
    using Laid = LaidSums<Tile, kPlanes>;
    const DenseLayer& layer = work.layer;
    product<Tile, kPlanes, true, false>(
        team, layer.inputs, layer.neurons, {work.below.nu, work.rows, work.below.stride},
        {layer.w, layer.inputs, layer.stride}, shared, [&](const Laid& laid) {
            [[maybe_unused]] constexpr int kTimes = 2;
            BITBAYES_UNROLL_TIMES
            for (std::uint32_t k = team.thread(); k < Laid::kCount; k += Laid::kThreads) {
                const std::uint32_t r = laid.row(k), i = laid.column(k);
                if (r >= work.rows || i >= layer.neurons) continue;
                finish_neuron<Rule, kStep == DenseStep::kTop>(
                    work, r, i, laid.sum(k), kPlanes == 2 ? laid.sum(k, 1) : Lanes(0.0f),
                    Rule::kHasH ? work.own.base[r] : 0.0f);
            }
        });
}

// A thread's part of the sum over a row, in order; many loads are under way at a time.
BITBAYES_INLINE Lanes variance_part(const float* nu, std::uint32_t lane, std::uint32_t neurons) {
    constexpr std::uint32_t kAhead = 32;
    Lanes sum(0.0f);
    BITBAYES_NO_UNROLL
    for (std::uint32_t i = lane; i < neurons; i += kAhead * kGroup) {
        Lanes v[kAhead];
        BITBAYES_UNROLL
        for (std::uint32_t k = 0; k < kAhead; ++k) {
            // 1 adds nothing.
            v[k] = Lanes(i + k * kGroup < neurons ? nu[i + k * kGroup] : 1.0f);
        }
        BITBAYES_UNROLL
        for (std::uint32_t k = 0; k < kAhead; ++k)
            sum = sum + negative_fma(v[k], v[k], Lanes(1.0f));
    }
    return sum;
}

// One group per row.
template <class Team>
BITBAYES_INLINE void variance_rows(const Team& team, const DenseWork& work) {
    const std::uint32_t r = team.block() * (kVarianceThreads / kGroup) + team.thread() / kGroup;
    const std::uint32_t lane = team.thread() % kGroup;
    const bool inside = r < work.rows;
    const std::uint32_t neurons = inside ? work.layer.neurons : 0;
    const float* nu = work.own.nu + static_cast<std::size_t>(r) * work.own.stride;
    Lanes sum(0.0f);
    if (work.dropout.limit == 0) {
        sum = variance_part(nu, lane, neurons);
    } else {
        BITBAYES_NO_UNROLL
        for (std::uint32_t i = lane; i < neurons; i += kGroup) {
            const Lanes v(nu[i]);
            sum = sum + negative_fma(v, v, Lanes(kept(work.dropout, r, i)));
        }
    }
    const float total = team.total(sum.v);
    if (inside && lane == 0) work.base_above[r] = total + work.floor_above;
}

BITBAYES_INLINE void send_message(const DenseWork& work, std::size_t at, Lanes e, float gain) {
    work.below.d[at] = without_tiny(e * Lanes(gain)).v;
}

template <TileSize kSize, class Team>
BITBAYES_INLINE void message_tile(const Team& team, const DenseWork& work, float* shared) {
    using Tile = typename TileOf<DenseStep::kMessage, kSize>::Type;
    using Laid = LaidSums<Tile, 1>;
    constexpr std::uint32_t kAhead = Laid::kCount / Laid::kThreads < 4 ? 1 : 4;
    const DenseLayer& layer = work.layer;
    product<Tile, 1, true, true>(
        team, layer.neurons, work.below_neurons, {work.own.d, work.rows, work.own.stride},
        {layer.w, work.below_neurons, layer.stride}, shared, [&](const Laid& laid) {
            BITBAYES_NO_UNROLL
            for (std::uint32_t first = team.thread(); first < Laid::kCount;
                 first += kAhead * Laid::kThreads) {
                std::size_t at[kAhead];
                bool inside[kAhead];
                float gain[kAhead];
                BITBAYES_UNROLL
                for (std::uint32_t k = 0; k < kAhead; ++k) {
                    const std::uint32_t r = laid.row(first + k * Laid::kThreads),
                                        j = laid.column(first + k * Laid::kThreads);
                    inside[k] = r < work.rows && j < work.below_neurons;
                    at[k] = static_cast<std::size_t>(r) * work.below.stride + j;
                    gain[k] = inside[k] ? work.below.gain[at[k]] : 0.0f;
                }
                BITBAYES_UNROLL
                for (std::uint32_t k = 0; k < kAhead; ++k) {
                    if (inside[k])
                        send_message(work, at[k], laid.sum(first + k * Laid::kThreads), gain[k]);
                }
            }
        });
}

// One group per row and neuron of the layer below: message_row of the CPU.
template <class Team>
BITBAYES_INLINE void message_few(const Team& team, const DenseWork& work) {
    const std::uint32_t k = team.block() * (kDenseThreads / kGroup) + team.thread() / kGroup;
    const std::uint32_t r = k / work.below_neurons, j = k % work.below_neurons;
    const bool inside = r < work.rows;
    Lanes sum(0.0f);
    for (std::uint32_t i = team.thread() % kGroup; inside && i < work.layer.neurons; i += kGroup) {
        sum = fma(Lanes(work.layer.w[static_cast<std::size_t>(j) * work.layer.stride + i]),
                  Lanes(work.own.d[static_cast<std::size_t>(r) * work.own.stride + i]), sum);
    }
    const float e = team.total(sum.v);
    if (!inside || team.thread() % kGroup != 0) return;
    const std::size_t at = static_cast<std::size_t>(r) * work.below.stride + j;
    send_message(work, at, Lanes(e), work.below.gain[at]);
}

// Weights of 16 threads side by side are a panel: their steps are all small, or none is taken for small. A thread has kCount weights, of
// different panels.
template <std::uint32_t kCount, class Team>
BITBAYES_INLINE void step_panels(const Team& team, const Lanes (&step)[kCount],
                                 Lanes (&change)[kCount]) {
    bool any_large = false;
    BITBAYES_UNROLL
    for (std::uint32_t k = 0; k < kCount; ++k) any_large |= any_above(abs(step[k]), kSmallTanh);
    if (!team.any(any_large)) {
        BITBAYES_UNROLL
        for (std::uint32_t k = 0; k < kCount; ++k) change[k] = SmallTanh(1.0f)(step[k]);
        return;
    }
    BITBAYES_UNROLL
    for (std::uint32_t k = 0; k < kCount; ++k) {
        const bool small = !team.any(any_above(abs(step[k]), kSmallTanh));
        change[k] = small ? SmallTanh(1.0f)(step[k]) : tanh(step[k]);
    }
}

// The weights whose sums a thread finds at first, first + kThreads, ...: all are loaded before one is stored.
template <class Rule, std::uint32_t kAhead, class Team, class Laid>
BITBAYES_INLINE void learn_weights(const Team& team, const DenseWork& work, const Laid& laid,
                                   std::uint32_t first) {
    const DenseLayer& layer = work.layer;
    const float* learned = Rule::kHasH ? layer.h : layer.w;
    std::size_t at[kAhead];
    bool inside[kAhead];
    Lanes old[kAhead], step[kAhead], change[kAhead];
    BITBAYES_UNROLL
    for (std::uint32_t k = 0; k < kAhead; ++k) {
        const std::uint32_t number = first + k * Laid::kThreads;
        const std::uint32_t j = laid.row(number), i = laid.column(number);
        inside[k] = j < layer.inputs && i < layer.neurons;
        at[k] = static_cast<std::size_t>(j) * layer.stride + i;
        old[k] = Lanes(inside[k] ? learned[at[k]] : 0.0f);
        step[k] = laid.sum(number);
    }
    if constexpr (Rule::kHasH) {
        BITBAYES_UNROLL
        for (Lanes& each : step) each = Lanes(work.rate) * each;
        step_panels(team, step, change);
    }
    BITBAYES_UNROLL
    for (std::uint32_t k = 0; k < kAhead; ++k) {
        if constexpr (Rule::kHasH) {
            const Lanes h = old[k] + change[k], w = weight_mean(h);
            if (!inside[k]) continue;
            layer.h[at[k]] = h.v;
            layer.w[at[k]] = w.v;
        } else if (inside[k]) {
            layer.w[at[k]] = fma(Lanes(work.rate), step[k], old[k]).v;
        }
    }
}

template <class Rule, TileSize kSize, class Team>
BITBAYES_INLINE void update_tile(const Team& team, const DenseWork& work, float* shared) {
    using Tile = typename TileOf<DenseStep::kUpdate, kSize>::Type;
    using Laid = LaidSums<Tile, 1>;
    constexpr std::uint32_t kAhead = Laid::kCount / Laid::kThreads < 8 ? 4 : 8;
    product<Tile, 1, false, false>(
        team, work.rows, work.layer.neurons, {work.below.nu, work.rows, work.below.stride},
        {work.own.d, work.rows, work.own.stride}, shared, [&](const Laid& laid) {
            BITBAYES_NO_UNROLL
            for (std::uint32_t first = team.thread(); first < Laid::kCount;
                 first += kAhead * Laid::kThreads) {
                learn_weights<Rule, kAhead>(team, work, laid, first);
            }
        });
}

// One thread per row and neuron; neighbours read weights side by side.
template <class Rule, class Team>
BITBAYES_INLINE void forward_sparse(const Team& team, const DenseWork& work) {
    const DenseLayer& layer = work.layer;
    const std::size_t k = static_cast<std::size_t>(team.block()) * kDenseThreads + team.thread();
    const auto r = static_cast<std::uint32_t>(k / layer.neurons),
               i = static_cast<std::uint32_t>(k % layer.neurons);
    if (r >= work.rows) return;
    Lanes S(0.0f), U(0.0f);
    for (std::uint64_t e = work.sparse.start[r]; e < work.sparse.start[r + 1]; ++e) {
        const Lanes x(work.below.nu[e]);
        const Lanes w(layer.w[static_cast<std::size_t>(work.sparse.index[e]) * layer.stride + i]);
        S = fma(w, x, S);
        if (Rule::kHasH) U = fma(negative_fma(w, w, Lanes(1.0f)), x * x, U);
    }
    finish_neuron<Rule, false>(work, r, i, S, U, Rule::kHasH ? work.own.base[r] : 0.0f);
}

// The weight at `at` of a panel whose sums all 16 threads of a group have.
template <class Rule, class Team>
BITBAYES_INLINE void learn_panel(const Team& team, const DenseWork& work, std::size_t at, Lanes A) {
    const DenseLayer& layer = work.layer;
    if constexpr (Rule::kHasH) {
        const Lanes step[1] = {Lanes(work.rate) * A};
        Lanes change[1];
        step_panels(team, step, change);
        const Lanes h = Lanes(layer.h[at]) + change[0];
        layer.h[at] = h.v;
        layer.w[at] = weight_mean(h).v;
    } else {
        layer.w[at] = fma(Lanes(work.rate), A, Lanes(layer.w[at])).v;
    }
}

// One group per column and panel of 16 neurons.
template <class Rule, class Team>
BITBAYES_INLINE void update_sparse(const Team& team, const DenseWork& work) {
    const DenseColumns& columns = work.columns;
    const std::uint32_t panels = work.layer.stride / kGroup;
    const std::size_t group =
        static_cast<std::size_t>(team.block()) * (kDenseThreads / kGroup) + team.thread() / kGroup;
    const std::size_t c = group / panels;
    if (c >= columns.count) return;
    const std::size_t i = group % panels * kGroup + team.thread() % kGroup;
    Lanes A(0.0f);
    for (std::uint64_t e = columns.start[c]; e < columns.start[c + 1]; ++e) {
        const float d = work.own.d[static_cast<std::size_t>(columns.row[e]) * work.own.stride + i];
        A = fma(Lanes(d), Lanes(work.below.nu[work.sparse.start[0] + columns.place[e]]), A);
    }
    const std::size_t at = static_cast<std::size_t>(columns.column[c]) * work.layer.stride + i;
    learn_panel<Rule>(team, work, at, A);
}

// Layers of trees: neuron i reads nu of neurons i K .. i K + K - 1. One group per row and neuron.
template <class Rule, bool kTop, class Team>
BITBAYES_INLINE void forward_trees(const Team& team, const DenseWork& work) {
    const DenseLayer& layer = work.layer;
    const std::size_t k =
        static_cast<std::size_t>(team.block()) * (kDenseThreads / kGroup) + team.thread() / kGroup;
    const auto r = static_cast<std::uint32_t>(k / layer.neurons),
               i = static_cast<std::uint32_t>(k % layer.neurons);
    const bool inside = r < work.rows;
    const float* w = layer.w + static_cast<std::size_t>(i) * layer.stride;
    const float* nu = work.below.nu + static_cast<std::size_t>(r) * work.below.stride +
                      static_cast<std::size_t>(i) * layer.inputs;
    Lanes S(0.0f), T(0.0f);
    for (std::uint32_t j = team.thread() % kGroup; inside && j < layer.inputs; j += kGroup) {
        if constexpr (Rule::kHasH) {
            const Lanes p = Lanes(w[j]) * Lanes(nu[j]);
            S = S + p;
            T = T + negative_fma(p, p, Lanes(1.0f));
        } else {
            S = fma(Lanes(w[j]), Lanes(nu[j]), S);
        }
    }
    team.totals(S.v, T.v);
    if (!inside || team.thread() % kGroup != 0) return;
    const float floor = kVarianceFloor * static_cast<float>(layer.inputs);
    finish_neuron<Rule, kTop>(work, r, i, S, Lanes(T.v + floor), kSmallest);
}

// One thread per row and neuron of the layer below.
template <class Team>
BITBAYES_INLINE void message_trees(const Team& team, const DenseWork& work) {
    const DenseLayer& layer = work.layer;
    const std::size_t k = static_cast<std::size_t>(team.block()) * kDenseThreads + team.thread();
    const auto r = static_cast<std::uint32_t>(k / work.below_neurons),
               child = static_cast<std::uint32_t>(k % work.below_neurons);
    if (r >= work.rows) return;
    const std::uint32_t i = child / layer.inputs, j = child % layer.inputs;
    const Lanes d(work.own.d[static_cast<std::size_t>(r) * work.own.stride + i]);
    const Lanes w(layer.w[static_cast<std::size_t>(i) * layer.stride + j]);
    const std::size_t at = static_cast<std::size_t>(r) * work.below.stride + child;
    send_message(work, at, d * w, work.below.gain[at]);
}

// One group per neuron and 16 of its weights.
template <class Rule, class Team>
BITBAYES_INLINE void update_trees(const Team& team, const DenseWork& work) {
    const DenseLayer& layer = work.layer;
    const std::uint32_t panels = layer.stride / kGroup;
    const std::uint32_t group = team.block() * (kDenseThreads / kGroup) + team.thread() / kGroup;
    const std::uint32_t i = group / panels, j = group % panels * kGroup + team.thread() % kGroup;
    if (i >= layer.neurons) return;
    Lanes A(0.0f);
    for (std::uint32_t r = 0; j < layer.inputs && r < work.rows; ++r) {
        const float d = work.own.d[static_cast<std::size_t>(r) * work.own.stride + i];
        const float nu = work.below.nu[static_cast<std::size_t>(r) * work.below.stride +
                                       static_cast<std::size_t>(i) * layer.inputs + j];
        A = fma(Lanes(d), Lanes(nu), A);
    }
    learn_panel<Rule>(team, work, static_cast<std::size_t>(i) * layer.stride + j, A);
}

template <class Team>
BITBAYES_INLINE void forget_weights(const Team& team, const DenseWork& work) {
    const DenseLayer& layer = work.layer;
    const std::size_t at = static_cast<std::size_t>(team.block()) * kDenseThreads + team.thread();
    if (at >= layer.floats()) return;
    layer.h[at] -= work.forgotten * (layer.h[at] - layer.h0[at]);
    layer.w[at] = weight_mean(Lanes(layer.h[at])).v;
}

template <class Rule, DenseStep kStep, TileSize kSize, class Team>
BITBAYES_INLINE void dense_step(const Team& team, const DenseWork& work, float* shared) {
    if constexpr (kStep == DenseStep::kForward || kStep == DenseStep::kTop)
        forward_tile<Rule, kStep, kSize>(team, work, shared);
    if constexpr (kStep == DenseStep::kVariance) variance_rows(team, work);
    if constexpr (kStep == DenseStep::kMessage) message_tile<kSize>(team, work, shared);
    if constexpr (kStep == DenseStep::kMessageFew) message_few(team, work);
    if constexpr (kStep == DenseStep::kUpdate) update_tile<Rule, kSize>(team, work, shared);
    if constexpr (kStep == DenseStep::kForget) forget_weights(team, work);
    if constexpr (kStep == DenseStep::kSparseForward) forward_sparse<Rule>(team, work);
    if constexpr (kStep == DenseStep::kSparseUpdate) update_sparse<Rule>(team, work);
    if constexpr (kStep == DenseStep::kTreeForward) forward_trees<Rule, false>(team, work);
    if constexpr (kStep == DenseStep::kTreeTop) forward_trees<Rule, true>(team, work);
    if constexpr (kStep == DenseStep::kTreeMessage) message_trees(team, work);
    if constexpr (kStep == DenseStep::kTreeUpdate) update_trees<Rule>(team, work);
}
