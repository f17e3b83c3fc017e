// The layers above the first, for one tree; included inside a namespace after input_neuron-inl.hpp. Twin:
// kernels/tree_kernels-inl.hpp, forward_hidden and backward_hidden.

// visit(l) for l = kFirst .. kEnd - 1, each a constant: pointers that are indexed by it stay in registers.
template <std::uint32_t kFirst, std::uint32_t kEnd, class Visit>
BITBAYES_INLINE void for_layers(const Visit& visit) {
    if constexpr (kFirst < kEnd) {
        visit(std::integral_constant<std::uint32_t, kFirst>());
        for_layers<kFirst + 1, kEnd>(visit);
    }
}

// Neurons whose nu a thread asks for at once, 16 apart.
template <std::uint32_t kCount>
struct Children {
    static constexpr std::uint32_t kMost = kCount;

    std::uint32_t first, end;
    float nu[kMost];

    // visit(neuron, nu, k)
    template <class Visit>
    BITBAYES_INLINE void each(const Visit& visit) {
        BITBAYES_UNROLL
        for (std::uint32_t k = 0; k < kMost; ++k) {
            if (first + k * kGroup < end) visit(first + k * kGroup, nu[k], k);
        }
    }
};

struct TreeTarget {
    float y, rate, eps;
};

// The layers above the first of one tree, in memory of the block. Layers are numbered as in Trees, from 1 here. kAtOnce: children whose
// nu a thread asks for at once.
template <class Rule, std::uint32_t kDepth, std::uint32_t kAtOnce, class Team>
class UpperLayers {
  public:
    using Some = Children<kAtOnce>;

    BITBAYES_INLINE UpperLayers(const Team& team, const Trees& trees, std::uint32_t tree,
                                Room& room)
        : team_(team), trees_(trees), tree_(tree) {
        for_layers<0, kDepth>([&](auto l) {
            const TreeLayer& layer = trees.layer[l];
            nu_[l] = room.take(layer.neurons);
            if constexpr (l > 0) {
                D_[l] = room.take(layer.neurons);
                S_[l] = room.take(layer.neurons);
                T_[l] = room.take(layer.neurons);
                if (Rule::kHasH) h_[l] = room.take(layer.neurons * layer.stride);
                w_[l] = room.take(layer.neurons * layer.stride);
            }
        });
    }

    BITBAYES_INLINE float* nu_of_first() const { return nu_[0]; }

    BITBAYES_INLINE void load(bool with_h) const {
        for_layers<1, kDepth>([&](auto l) {
            each<l>([&](std::uint32_t k) {
                if (Rule::kHasH && with_h) h_[l][k] = far(trees_.h[l], l)[k];
                w_[l][k] = far(trees_.w[l], l)[k];
            });
        });
    }
    BITBAYES_INLINE void save() const {
        for_layers<1, kDepth>([&](auto l) {
            each<l>([&](std::uint32_t k) {
                if (Rule::kHasH) far(trees_.h[l], l)[k] = h_[l][k];
                far(trees_.w[l], l)[k] = w_[l][k];
            });
        });
    }

    // From nu of layer 1 to the moments of the output; they are the ones given if there are no other layers. wait(children) gets nu of
    // neurons of layer 1, which nu_of_first() has then too.
    template <class Wait>
    BITBAYES_INLINE NeuronMoments forward(NeuronMoments output, const Wait& wait) const {
        for_layers<1, kDepth>([&](auto l) {
            forward_layer<l>([&](Some& some) {
                if constexpr (l == 1) {
                    wait(some);
                    some.each([&](std::uint32_t j, float nu, std::uint32_t) { nu_[0][j] = nu; });
                } else {
                    some.each(
                        [&](std::uint32_t j, float& nu, std::uint32_t) { nu = nu_[l - 1][j]; });
                }
            });
            team_.sync();
            output = {S_[l][0], T_[l][0]};
        });
        return output;
    }

    // After forward(): messages to all neurons above layer 1.
    BITBAYES_INLINE void backward(const TreeTarget& target) const {
        if constexpr (kDepth > 2) {
            for_layers<2, kDepth>([&](auto from_top) {
                constexpr std::uint32_t l = kDepth + 1 - from_top;
                each_child<l>([&](std::uint32_t i, std::uint32_t child, std::uint32_t at) {
                    D_[l - 1][child] = (pull<l>(target, i, child, at) * Lanes(w_[l][at])).v;
                });
                team_.sync();
            });
        }
    }

    // After backward(): the message to a neuron of layer 1.
    BITBAYES_INLINE float message(const TreeTarget& target, std::uint32_t child) const {
        if constexpr (kDepth == 1) {
            return target.y;
        } else {
            const std::uint32_t i = parent<1>(child), at = place<1>(i, child);
            return (pull<1>(target, i, child, at) * Lanes(w_[1][at])).v;
        }
    }

    // Learns the target when all messages are sent. Other threads see it after a barrier. The last threads begin: the first ones have
    // other things to do meanwhile.
    BITBAYES_INLINE void update(const TreeTarget& target) const {
        for_layers<1, kDepth>([&](auto l) {
            each_child<l>([&](std::uint32_t i, std::uint32_t child, std::uint32_t at) {
                const Lanes R = pull<l>(target, i, child, at), v(nu_[l - 1][child]);
                if constexpr (Rule::kHasH) {
                    const Lanes h = fma(Lanes(0.5f * target.rate) * R, v, Lanes(h_[l][at]));
                    h_[l][at] = h.v;
                    w_[l][at] = weight_mean(h).v;
                } else {
                    w_[l][at] = fma(Lanes(target.rate) * R, v, Lanes(w_[l][at])).v;
                }
            });
        });
    }

    BITBAYES_INLINE void forget(float share) const {
        for_layers<1, kDepth>([&](auto l) {
            each<l>([&](std::uint32_t k) {
                h_[l][k] -= share * (h_[l][k] - far(trees_.h0[l], l)[k]);
                w_[l][k] = weight_mean(Lanes(h_[l][k])).v;
            });
        });
    }

    BITBAYES_INLINE bool finite() const {
        bool all = true;
        for_layers<1, kDepth>([&](auto l) {
            each<l>(
                [&](std::uint32_t k) { all = all && is_finite((Rule::kHasH ? h_[l] : w_[l])[k]); });
        });
        return all;
    }

  private:
    // This tree's weights of a layer.
    template <class T>
    BITBAYES_INLINE T* far(T* all, std::uint32_t l) const {
        return all + static_cast<std::size_t>(tree_) * trees_.layer[l].floats();
    }
    template <std::uint32_t l, class Visit>
    BITBAYES_INLINE void each(const Visit& visit) const {
        for (std::uint32_t k = team_.thread(); k < trees_.layer[l].floats(); k += team_.threads())
            visit(k);
    }

    template <std::uint32_t l>
    BITBAYES_INLINE std::uint32_t parent(std::uint32_t child) const {
        return l + 1 == kDepth ? 0 : child / trees_.layer[l].fan_in;
    }
    // Of a weight, between neuron i of layer l and its input `child` among all neurons below.
    template <std::uint32_t l>
    BITBAYES_INLINE std::uint32_t place(std::uint32_t i, std::uint32_t child) const {
        return i * trees_.layer[l].stride + child - i * trees_.layer[l].fan_in;
    }
    // visit(i, child, place)
    template <std::uint32_t l, class Visit>
    BITBAYES_INLINE void each_child(const Visit& visit) const {
        const std::uint32_t children = trees_.layer[l].neurons * trees_.layer[l].fan_in;
        for (std::uint32_t child = team_.threads() - 1 - team_.thread(); child < children;
             child += team_.threads()) {
            const std::uint32_t i = parent<l>(child);
            visit(i, child, place<l>(i, child));
        }
    }

    // load(children): their nu.
    template <std::uint32_t l, class Load>
    BITBAYES_INLINE void forward_layer(const Load& load) const {
        const TreeLayer& layer = trees_.layer[l];
        const float floor = kVarianceFloor * static_cast<float>(layer.fan_in);
        const std::uint32_t groups = team_.threads() / kGroup, lane = team_.thread() % kGroup;
        for (std::uint32_t i = team_.thread() / kGroup; i < layer.neurons; i += groups) {
            const std::uint32_t first = i * layer.fan_in, end = first + layer.fan_in;
            const float* row = w_[l] + i * layer.stride - first;
            Lanes S(0.0f), T(0.0f);
            for (std::uint32_t j = first + lane; j < end; j += kAtOnce * kGroup) {
                Some some{j, end, {}};
                load(some);
                some.each([&](std::uint32_t child, float nu, std::uint32_t) {
                    const Lanes w(row[child]), v(nu);
                    if constexpr (Rule::kHasH) {
                        const Lanes p = w * v;
                        S = S + p;
                        T = T + negative_fma(p, p, Lanes(1.0f));
                    } else {
                        S = fma(w, v, S);
                    }
                });
            }
            NeuronMoments m{team_.total(S.v), 1.0f};
            if constexpr (Rule::kHasH) m.T = team_.total(T.v) + floor;
            if (lane == 0) {
                S_[l][i] = m.S;
                T_[l][i] = m.T;
                if (l + 1 < kDepth || !Rule::kHasH) nu_[l][i] = Rule::nu(m);
            }
        }
    }

    // What a weight learns, before its factor nu. BackProp: delta.
    template <std::uint32_t l>
    BITBAYES_INLINE Lanes pull(const TreeTarget& target, std::uint32_t i, std::uint32_t child,
                               std::uint32_t at) const {
        constexpr bool kOutput = l + 1 == kDepth;
        const float D = kOutput ? target.y : D_[l][i];
        if constexpr (!Rule::kHasH) {
            return Lanes(Backprop::delta(nu_[l][i], D, kOutput));
        } else if constexpr (!kOutput) {
            return pull_by<l, Neuron::kHidden>(D, 0, i, child, at);
        } else {
            return target.eps > 0 ? pull_by<l, Neuron::kNoisyOutput>(D, target.eps, i, child, at)
                                  : pull_by<l, Neuron::kOutput>(D, 0, i, child, at);
        }
    }
    template <std::uint32_t l, Neuron kNeuron>
    BITBAYES_INLINE Lanes pull_by(float D, float eps, std::uint32_t i, std::uint32_t child,
                                  std::uint32_t at) const {
        const FullGain<kNeuron> gain(S_[l][i], T_[l][i], D, eps);
        return Lanes(D) * tanh(gain.at(Lanes(w_[l][at]), Lanes(nu_[l - 1][child])));
    }

    const Team& team_;
    const Trees& trees_;
    std::uint32_t tree_;
    float *nu_[kDepth], *D_[kDepth], *S_[kDepth], *T_[kDepth], *h_[kDepth], *w_[kDepth];
};
