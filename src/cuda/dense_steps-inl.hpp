// Batches through dense layers; included inside a namespace after input_neuron-inl.hpp. Twin: kernels/dense_kernels-inl.hpp, whose bits
// these are: every sum of a product is carried by one thread and runs over inputs, neurons or rows one by one, as in a lane of the
// CPU.
//   S_i = sum_j w_ij nu_j,  T_i = sum_j nu_j^2 (1 - w_ij^2) + base      forward
//   e_j = sum_i w_ij d_i,   d_j = e_j gain_j                            message
//   h_ij += tanh(rate sum over rows of d_i nu_j),  w = tanh h           update
//
// A block of 256 threads computes a tile of a product in slices of kDepthOfTile terms. Thread (y, x) of 16 x 16 has `tall` neighbouring places
// from y * tall on and the `wide` places x, x + 16, ...: where those are neurons, 16 threads side by side hold a panel.

// Slices of both factors in shared memory; in forward also of 1 - w^2.
template <class Tile>
struct Slices {
    float *left, *right, *variance;

    BITBAYES_INLINE explicit Slices(float* shared)
        : left(shared),
          right(left + kDepthOfTile * Tile::left_stride),
          variance(right + kDepthOfTile * Tile::right_stride) {}
};

// at(term, place) for all of a slice, with neighbouring threads at neighbouring terms (kTermsLieTogether) or places.
template <bool kTermsLieTogether, class Team, class At>
BITBAYES_INLINE void load_slice(const Team& team, float* slice, std::uint32_t stride,
                                std::uint32_t places, const At& at) {
    for (std::uint32_t k = team.thread(); k < kDepthOfTile * places; k += kDenseThreads) {
        const std::uint32_t term = kTermsLieTogether ? k % kDepthOfTile : k / places;
        const std::uint32_t place = kTermsLieTogether ? k / kDepthOfTile : k % places;
        slice[term * stride + place] = at(term, place);
    }
}

template <std::uint32_t kTall, std::uint32_t kWide>
BITBAYES_INLINE void clear(Lanes (&sums)[kTall][kWide]) {
    BITBAYES_UNROLL
    for (std::uint32_t a = 0; a < kTall; ++a) {
        BITBAYES_UNROLL
        for (std::uint32_t b = 0; b < kWide; ++b) sums[a][b] = Lanes(0.0f);
    }
}

// Where a thread works in a tile.
struct Place {
    std::uint32_t y, x;

    template <class Team>
    BITBAYES_INLINE explicit Place(const Team& team)
        : y(team.thread() / 16), x(team.thread() % 16) {}
};

// load(first term) fills the slices, visit(term) adds one term of them to the sums.
template <class Team, class Load, class Visit>
BITBAYES_INLINE void for_terms(const Team& team, std::uint32_t terms, const Load& load,
                               const Visit& visit) {
    for (std::uint32_t first = 0; first < terms; first += kDepthOfTile) {
        load(first);
        team.sync();
        BITBAYES_UNROLL
        for (std::uint32_t term = 0; term < kDepthOfTile; ++term) visit(term);
        team.sync();
    }
}

// Blocks count places of the right factor first.
template <class Tile>
struct TileOrigin {
    std::uint32_t top, left;

    template <class Team>
    BITBAYES_INLINE TileOrigin(const Team& team, std::uint32_t width) {
        const std::uint32_t across = (width + Tile::width - 1) / Tile::width;
        top = team.block() / across * Tile::height;
        left = team.block() % across * Tile::width;
    }
};

// What becomes of a neuron's sums.
template <class Rule, bool kTop>
BITBAYES_INLINE void finish_neuron(const DenseWork& work, std::uint32_t r, std::uint32_t i, Lanes S,
                                   Lanes U) {
    const std::size_t at = static_cast<std::size_t>(r) * work.own.stride + i;
    const Lanes root = Rule::kHasH ? sqrt(U + Lanes(work.own.base[r])) : Lanes(1.0f), z = S / root;
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
            work.own.d[at] = (y * weight * f / root).v;
        } else {
            const Lanes v = backprop::activity(z);
            work.own.d[at] = (weight * (y - v) * backprop::slope(v)).v;
        }
    } else {
        Lanes nu, gain;
        if constexpr (Rule::kHasH) {
            nu = sign_mean(z);
            gain = Lanes(2.0f) * normal_density(min(abs(z), Lanes(13.0f))) / root;
        } else {
            nu = backprop::activity(z);
            gain = backprop::slope(nu);
        }
        const Lanes kept(work.own.kept == nullptr ? 1.0f : work.own.kept[at]);
        work.own.nu[at] = (nu * kept).v;
        work.own.gain[at] = (gain * kept).v;
        if (i + 1 == work.layer.neurons) work.own.nu[at + 1] = 1;  // the constant
    }
}

template <class Rule, bool kTop, class Team>
BITBAYES_INLINE void forward_tile(const Team& team, const DenseWork& work, float* shared) {
    using Tile = ForwardTile;
    const DenseLayer& layer = work.layer;
    const TileOrigin<Tile> origin(team, layer.neurons);
    const Slices<Tile> slices(shared);
    const Place place(team);
    Lanes S[Tile::tall][Tile::wide], U[Tile::tall][Tile::wide];
    clear(S);
    clear(U);
    const auto load = [&](std::uint32_t first) {
        load_slice<true>(
            team, slices.left, Tile::left_stride, Tile::height,
            [&](std::uint32_t term, std::uint32_t k) {
                const std::uint32_t r = origin.top + k, j = first + term;
                return r < work.rows && j < layer.inputs
                           ? work.below.nu[static_cast<std::size_t>(r) * work.below.stride + j]
                           : 0.0f;
            });
        load_slice<false>(team, slices.right, Tile::right_stride, Tile::width,
                          [&](std::uint32_t term, std::uint32_t k) {
                              const std::uint32_t i = origin.left + k, j = first + term;
                              const float w =
                                  i < layer.neurons && j < layer.inputs
                                      ? layer.w[static_cast<std::size_t>(j) * layer.stride + i]
                                      : 0.0f;
                              slices.variance[term * Tile::right_stride + k] =
                                  negative_fma(Lanes(w), Lanes(w), Lanes(1.0f)).v;
                              return w;
                          });
    };
    for_terms(team, layer.inputs, load, [&](std::uint32_t term) {
        const float* left = slices.left + term * Tile::left_stride + place.y * Tile::tall;
        const std::uint32_t at = term * Tile::right_stride + place.x;
        BITBAYES_UNROLL
        for (std::uint32_t b = 0; b < Tile::wide; ++b) {
            const Lanes w(slices.right[at + 16 * b]), v(slices.variance[at + 16 * b]);
            BITBAYES_UNROLL
            for (std::uint32_t a = 0; a < Tile::tall; ++a) {
                const Lanes x(left[a]);
                S[a][b] = fma(w, x, S[a][b]);
                if constexpr (Rule::kHasH) U[a][b] = fma(v, x * x, U[a][b]);
            }
        }
    });
    BITBAYES_UNROLL
    for (std::uint32_t a = 0; a < Tile::tall; ++a) {
        BITBAYES_UNROLL
        for (std::uint32_t b = 0; b < Tile::wide; ++b) {
            const std::uint32_t r = origin.top + place.y * Tile::tall + a,
                                i = origin.left + place.x + 16 * b;
            if (r < work.rows && i < layer.neurons)
                finish_neuron<Rule, kTop>(work, r, i, S[a][b], U[a][b]);
        }
    }
}

// One group per row.
template <class Team>
BITBAYES_INLINE void variance_rows(const Team& team, const DenseWork& work) {
    const std::uint32_t r = team.block() * (kDenseThreads / kGroup) + team.thread() / kGroup;
    const bool inside = r < work.rows;
    Lanes sum(0.0f);
    for (std::uint32_t i = team.thread() % kGroup; inside && i < work.layer.neurons; i += kGroup) {
        const std::size_t at = static_cast<std::size_t>(r) * work.own.stride + i;
        const Lanes v(work.own.nu[at]), one(work.own.kept == nullptr ? 1.0f : work.own.kept[at]);
        sum = sum + negative_fma(v, v, one);
    }
    const float total = team.total(sum.v);
    if (inside && team.thread() % kGroup == 0) work.base_above[r] = total + work.floor_above;
}

BITBAYES_INLINE void send_message(const DenseWork& work, std::uint32_t r, std::uint32_t j,
                                  float e) {
    const std::size_t at = static_cast<std::size_t>(r) * work.below.stride + j;
    work.below.d[at] = e * work.below.gain[at];
}

template <class Team>
BITBAYES_INLINE void message_tile(const Team& team, const DenseWork& work, float* shared) {
    using Tile = MessageTile;
    const DenseLayer& layer = work.layer;
    const TileOrigin<Tile> origin(team, work.below_neurons);
    const Slices<Tile> slices(shared);
    const Place place(team);
    Lanes e[Tile::tall][Tile::wide];
    clear(e);
    const auto load = [&](std::uint32_t first) {
        load_slice<true>(
            team, slices.left, Tile::left_stride, Tile::height,
            [&](std::uint32_t term, std::uint32_t k) {
                const std::uint32_t r = origin.top + k, i = first + term;
                return r < work.rows && i < layer.neurons
                           ? work.own.d[static_cast<std::size_t>(r) * work.own.stride + i]
                           : 0.0f;
            });
        load_slice<true>(team, slices.right, Tile::right_stride, Tile::width,
                         [&](std::uint32_t term, std::uint32_t k) {
                             const std::uint32_t j = origin.left + k, i = first + term;
                             return j < work.below_neurons && i < layer.neurons
                                        ? layer.w[static_cast<std::size_t>(j) * layer.stride + i]
                                        : 0.0f;
                         });
    };
    for_terms(team, layer.neurons, load, [&](std::uint32_t term) {
        const float* left = slices.left + term * Tile::left_stride + place.y * Tile::tall;
        const float* right = slices.right + term * Tile::right_stride + place.x;
        BITBAYES_UNROLL
        for (std::uint32_t b = 0; b < Tile::wide; ++b) {
            BITBAYES_UNROLL
            for (std::uint32_t a = 0; a < Tile::tall; ++a)
                e[a][b] = fma(Lanes(right[16 * b]), Lanes(left[a]), e[a][b]);
        }
    });
    BITBAYES_UNROLL
    for (std::uint32_t a = 0; a < Tile::tall; ++a) {
        BITBAYES_UNROLL
        for (std::uint32_t b = 0; b < Tile::wide; ++b) {
            const std::uint32_t r = origin.top + place.y * Tile::tall + a,
                                j = origin.left + place.x + 16 * b;
            if (r < work.rows && j < work.below_neurons) send_message(work, r, j, e[a][b].v);
        }
    }
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
    if (inside && team.thread() % kGroup == 0) send_message(work, r, j, e);
}

template <class Rule, class Team>
BITBAYES_INLINE void update_tile(const Team& team, const DenseWork& work, float* shared) {
    using Tile = UpdateTile;
    const DenseLayer& layer = work.layer;
    const TileOrigin<Tile> origin(team, layer.neurons);
    const Slices<Tile> slices(shared);
    const Place place(team);
    Lanes A[Tile::tall][Tile::wide];
    clear(A);
    const auto load = [&](std::uint32_t first) {
        load_slice<false>(
            team, slices.left, Tile::left_stride, Tile::height,
            [&](std::uint32_t term, std::uint32_t k) {
                const std::uint32_t r = first + term, j = origin.top + k;
                return r < work.rows && j < layer.inputs
                           ? work.below.nu[static_cast<std::size_t>(r) * work.below.stride + j]
                           : 0.0f;
            });
        load_slice<false>(
            team, slices.right, Tile::right_stride, Tile::width,
            [&](std::uint32_t term, std::uint32_t k) {
                const std::uint32_t r = first + term, i = origin.left + k;
                return r < work.rows && i < layer.neurons
                           ? work.own.d[static_cast<std::size_t>(r) * work.own.stride + i]
                           : 0.0f;
            });
    };
    for_terms(team, work.rows, load, [&](std::uint32_t term) {
        const float* left = slices.left + term * Tile::left_stride + place.y * Tile::tall;
        const float* right = slices.right + term * Tile::right_stride + place.x;
        BITBAYES_UNROLL
        for (std::uint32_t b = 0; b < Tile::wide; ++b) {
            BITBAYES_UNROLL
            for (std::uint32_t a = 0; a < Tile::tall; ++a)
                A[a][b] = fma(Lanes(right[16 * b]), Lanes(left[a]), A[a][b]);
        }
    });
    BITBAYES_UNROLL
    for (std::uint32_t a = 0; a < Tile::tall; ++a) {
        BITBAYES_UNROLL
        for (std::uint32_t b = 0; b < Tile::wide; ++b) {
            const std::uint32_t j = origin.top + place.y * Tile::tall + a,
                                i = origin.left + place.x + 16 * b;
            const std::size_t at = static_cast<std::size_t>(j) * layer.stride + i;
            const bool inside = j < layer.inputs && i < layer.neurons;
            if constexpr (Rule::kHasH) {
                const Lanes step = Lanes(work.rate) * A[a][b];
                const bool small = !team.any(any_above(abs(step), kSmallTanh));  // of the panel
                if (!inside) continue;
                const Lanes h = Lanes(layer.h[at]) + (small ? SmallTanh(1.0f)(step) : tanh(step));
                layer.h[at] = h.v;
                layer.w[at] = weight_mean(h).v;
            } else if (inside) {
                layer.w[at] = fma(Lanes(work.rate), A[a][b], Lanes(layer.w[at])).v;
            }
        }
    }
}

template <class Team>
BITBAYES_INLINE void forget_weights(const Team& team, const DenseWork& work) {
    const DenseLayer& layer = work.layer;
    const std::size_t at = static_cast<std::size_t>(team.block()) * kDenseThreads + team.thread();
    if (at >= static_cast<std::size_t>(layer.inputs) * layer.stride) return;
    layer.h[at] -= work.forgotten * (layer.h[at] - layer.h0[at]);
    layer.w[at] = weight_mean(Lanes(layer.h[at])).v;
}

template <class Rule, DenseStep kStep, class Team>
BITBAYES_INLINE void dense_step(const Team& team, const DenseWork& work, float* shared) {
    if constexpr (kStep == DenseStep::kForward) forward_tile<Rule, false>(team, work, shared);
    if constexpr (kStep == DenseStep::kTop) forward_tile<Rule, true>(team, work, shared);
    if constexpr (kStep == DenseStep::kVariance) variance_rows(team, work);
    if constexpr (kStep == DenseStep::kMessage) message_tile(team, work, shared);
    if constexpr (kStep == DenseStep::kMessageFew) message_few(team, work);
    if constexpr (kStep == DenseStep::kUpdate) update_tile<Rule>(team, work, shared);
    if constexpr (kStep == DenseStep::kForget) forget_weights(team, work);
}
