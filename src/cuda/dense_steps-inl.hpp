// Batches through dense layers; included inside a namespace after input_rows-inl.hpp. Twin: kernels/dense_kernels-inl.hpp, whose bits
// these are: every sum of a product is carried by one thread and runs over inputs, neurons or rows one by one, as in a lane of the
// CPU.
//   S_i = sum_j w_ij nu_j,  T_i = sum_j nu_j^2 (1 - w_ij^2) + base      forward
//   e_j = sum_i w_ij d_i,   d_j = e_j gain_j                            message
//   h_ij += tanh(rate sum over rows of d_i nu_j),  w = tanh h           update
//
// A block of 256 threads computes a tile of a product in slices of kDepthOfTile terms. Thread (y, x) of 16 x 16 has `tall` neighbouring places
// from y * tall on and the `wide` places x, x + 16, ...: where those are neurons, 16 threads side by side hold a panel.

// A sum of a product. kPlanes: slices of the right factor; the second holds second(element of the first).
struct PlainSum {
    static constexpr std::uint32_t kPlanes = 1;
    Lanes sum{0.0f};

    BITBAYES_INLINE static float second(float) { return 0; }
    BITBAYES_INLINE void add(Lanes left, Lanes right, Lanes) { sum = fma(right, left, sum); }
};
template <class Rule>
struct ForwardSum {
    static constexpr std::uint32_t kPlanes = Rule::kHasH ? 2 : 1;
    Lanes S{0.0f}, U{0.0f};

    BITBAYES_INLINE static float second(float w) {
        return negative_fma(Lanes(w), Lanes(w), Lanes(1.0f)).v;
    }
    BITBAYES_INLINE void add(Lanes x, Lanes w, Lanes w_second) {
        S = fma(w, x, S);
        if constexpr (kPlanes == 2) U = fma(w_second, x * x, U);
    }
};

// Some fours, side by side in shared memory.
template <std::uint32_t kCount>
struct Fours {
    Four v[kCount / 4];

    BITBAYES_INLINE void load(const float* from, std::uint32_t apart) {
        BITBAYES_UNROLL
        for (std::uint32_t k = 0; k < kCount / 4; ++k) v[k] = load_four(from + k * apart);
    }
    BITBAYES_INLINE Lanes operator[](std::uint32_t k) const { return Lanes(v[k / 4].v[k % 4]); }
};

// One factor's part in a tile: slices of kDepthOfTile terms and kPlaces places. Neighbouring threads fetch neighbouring terms or places, whichever
// lie together in memory, and carry them until the slice before is done.
template <std::uint32_t kPlaces, bool kTermsLieTogether>
class SliceOnItsWay {
  public:
    template <class Team, class Value>
    BITBAYES_INLINE void fetch(const Team& team, const Value& value) {
        each(team, [&](std::uint32_t k, std::uint32_t term, std::uint32_t place) {
            carried_[k] = value(term, place);
        });
    }
    // put(term, place, value)
    template <class Team, class Put>
    BITBAYES_INLINE void arrive(const Team& team, const Put& put) const {
        each(team, [&](std::uint32_t k, std::uint32_t term, std::uint32_t place) {
            put(term, place, carried_[k]);
        });
    }

  private:
    static constexpr std::uint32_t kEach = kDepthOfTile * kPlaces / kDenseThreads;

    template <class Team, class Visit>
    BITBAYES_INLINE static void each(const Team& team, const Visit& visit) {
        BITBAYES_UNROLL
        for (std::uint32_t k = 0; k < kEach; ++k) {
            const std::uint32_t at = team.thread() + k * kDenseThreads;
            visit(k, kTermsLieTogether ? at % kDepthOfTile : at / kPlaces,
                  kTermsLieTogether ? at / kDepthOfTile : at % kPlaces);
        }
    }

    float carried_[kEach];
};

// The block's tile of a product: finish(row, column, sum) where sum has the terms left(term, row) and right(term, column). All
// threads call finish for all their places, also for those beyond the product's rows and columns; so left and right are 0 there, and beyond
// the last term. Blocks count columns first. Two slices take turns in shared memory; a thread's four columns lie side by side there.
template <class Tile, class Sum, bool kLeftTogether, bool kRightTogether, class Team, class Left,
          class Right, class Finish>
BITBAYES_INLINE void product(const Team& team, std::uint32_t terms, std::uint32_t columns,
                             const Left& left, const Right& right, float* shared,
                             const Finish& finish) {
    constexpr std::uint32_t kPlane = kDepthOfTile * Tile::right_stride;
    const std::uint32_t across = (columns + Tile::width - 1) / Tile::width;
    const std::uint32_t top = team.block() / across * Tile::height,
                        first_column = team.block() % across * Tile::width;
    const std::uint32_t y = team.thread() / 16, x = team.thread() % 16;
    SliceOnItsWay<Tile::height, kLeftTogether> lefts;
    SliceOnItsWay<Tile::width, kRightTogether> rights;
    const auto fetch = [&](std::uint32_t first) {
        lefts.fetch(team, [&](std::uint32_t term, std::uint32_t place) {
            return left(first + term, top + place);
        });
        rights.fetch(team, [&](std::uint32_t term, std::uint32_t place) {
            return right(first + term, first_column + place);
        });
    };
    const auto arrive = [&](float* slice) {
        lefts.arrive(team, [&](std::uint32_t term, std::uint32_t place, float value) {
            slice[term * Tile::left_stride + place] = value;
        });
        rights.arrive(team, [&](std::uint32_t term, std::uint32_t place, float value) {
            float* at = slice + kDepthOfTile * Tile::left_stride + term * Tile::right_stride +
                        placed(place, Tile::width);
            at[0] = value;
            if constexpr (Sum::kPlanes == 2) at[kPlane] = Sum::second(value);
        });
    };
    Sum sums[Tile::tall][Tile::wide];
    const auto add = [&](const float* slice) {
        const float* of_left = slice + y * Tile::tall;
        const float* of_right = slice + kDepthOfTile * Tile::left_stride + x * 4;
        BITBAYES_UNROLL
        for (std::uint32_t term = 0; term < kDepthOfTile; ++term) {
            Fours<Tile::tall> l;
            Fours<Tile::wide> r, r_second;
            l.load(of_left + term * Tile::left_stride, 4);
            r.load(of_right + term * Tile::right_stride, 64);
            if constexpr (Sum::kPlanes == 2)
                r_second.load(of_right + kPlane + term * Tile::right_stride, 64);
            BITBAYES_UNROLL
            for (std::uint32_t b = 0; b < Tile::wide; ++b) {
                const Lanes second = Sum::kPlanes == 2 ? r_second[b] : Lanes(0.0f);
                BITBAYES_UNROLL
                for (std::uint32_t a = 0; a < Tile::tall; ++a) sums[a][b].add(l[a], r[b], second);
            }
        }
    };

    float* slice = shared;
    float* other = shared + slice_floats<Tile>(Sum::kPlanes);
    fetch(0);
    arrive(slice);
    team.sync();
    for (std::uint32_t first = kDepthOfTile; first < terms; first += kDepthOfTile) {
        fetch(first);
        add(slice);
        arrive(other);  // nobody reads it: all have passed the barrier after its last use
        float* done = slice;
        slice = other;
        other = done;
        team.sync();
    }
    add(slice);
    BITBAYES_UNROLL
    for (std::uint32_t a = 0; a < Tile::tall; ++a) {
        BITBAYES_UNROLL
        for (std::uint32_t b = 0; b < Tile::wide; ++b) {
            finish(top + y * Tile::tall + a, first_column + x + 16 * b, sums[a][b]);
        }
    }
}

BITBAYES_INLINE float element(const float* rows, std::uint32_t stride, std::uint32_t row,
                              std::uint32_t column) {
    return rows[static_cast<std::size_t>(row) * stride + column];
}

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

template <class Rule, bool kTop, class Team>
BITBAYES_INLINE void forward_tile(const Team& team, const DenseWork& work, float* shared) {
    const DenseLayer& layer = work.layer;
    product<ForwardTile, ForwardSum<Rule>, true, false>(
        team, layer.inputs, layer.neurons,
        [&](std::uint32_t j, std::uint32_t r) {
            return j < layer.inputs && r < work.rows
                       ? element(work.below.nu, work.below.stride, r, j)
                       : 0.0f;
        },
        [&](std::uint32_t j, std::uint32_t i) {
            return j < layer.inputs && i < layer.neurons ? element(layer.w, layer.stride, j, i)
                                                         : 0.0f;
        },
        shared,
        [&](std::uint32_t r, std::uint32_t i, const ForwardSum<Rule>& sum) {
            if (r < work.rows && i < layer.neurons)
                finish_neuron<Rule, kTop>(work, r, i, sum.S, sum.U);
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
        for (std::uint32_t k = 0; k < kAhead; ++k) sum = sum + negative_fma(v[k], v[k], Lanes(1.0f));
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

BITBAYES_INLINE void send_message(const DenseWork& work, std::uint32_t r, std::uint32_t j,
                                  float e) {
    const std::size_t at = static_cast<std::size_t>(r) * work.below.stride + j;
    work.below.d[at] = without_tiny(Lanes(e) * Lanes(work.below.gain[at])).v;
}

template <class Team>
BITBAYES_INLINE void message_tile(const Team& team, const DenseWork& work, float* shared) {
    const DenseLayer& layer = work.layer;
    product<MessageTile, PlainSum, true, true>(
        team, layer.neurons, work.below_neurons,
        [&](std::uint32_t i, std::uint32_t r) {
            return i < layer.neurons && r < work.rows ? element(work.own.d, work.own.stride, r, i)
                                                      : 0.0f;
        },
        [&](std::uint32_t i, std::uint32_t j) {
            return i < layer.neurons && j < work.below_neurons
                       ? element(layer.w, layer.stride, j, i)
                       : 0.0f;
        },
        shared,
        [&](std::uint32_t r, std::uint32_t j, const PlainSum& e) {
            if (r < work.rows && j < work.below_neurons) send_message(work, r, j, e.sum.v);
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
    if (inside && team.thread() % kGroup == 0) send_message(work, r, j, e);
}

template <class Rule, class Team>
BITBAYES_INLINE void update_tile(const Team& team, const DenseWork& work, float* shared) {
    const DenseLayer& layer = work.layer;
    product<UpdateTile, PlainSum, false, false>(
        team, work.rows, layer.neurons,
        [&](std::uint32_t r, std::uint32_t j) {
            return r < work.rows && j < layer.inputs
                       ? element(work.below.nu, work.below.stride, r, j)
                       : 0.0f;
        },
        [&](std::uint32_t r, std::uint32_t i) {
            return r < work.rows && i < layer.neurons ? element(work.own.d, work.own.stride, r, i)
                                                      : 0.0f;
        },
        shared,
        [&](std::uint32_t j, std::uint32_t i, const PlainSum& A) {
            const std::size_t at = static_cast<std::size_t>(j) * layer.stride + i;
            const bool inside = j < layer.inputs && i < layer.neurons;
            if constexpr (Rule::kHasH) {
                const Lanes step = Lanes(work.rate) * A.sum;
                const bool small = !team.any(any_above(abs(step), kSmallTanh));  // of the panel
                if (!inside) return;
                const Lanes h = Lanes(layer.h[at]) + (small ? SmallTanh(1.0f)(step) : tanh(step));
                layer.h[at] = h.v;
                layer.w[at] = weight_mean(h).v;
            } else if (inside) {
                layer.w[at] = fma(Lanes(work.rate), A.sum, Lanes(layer.w[at])).v;
            }
        });
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
