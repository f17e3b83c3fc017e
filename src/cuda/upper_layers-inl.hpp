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

// The layers above the first of one tree, in memory of the block. Layers are numbered as in Trees, from 1 here.
template <class Rule, std::uint32_t kDepth, class Team>
class UpperLayers {
  public:
    BITBAYES_INLINE UpperLayers(const Team& team, const Trees& trees, std::uint32_t tree,
                                Room& room)
        : team_(team), trees_(trees), tree_(tree) {
        for_layers<0, kDepth>([&](auto l) {
            const TreeLayer& layer = trees.layer[l];
            nu_[l] = room.take(layer.neurons);
            D_[l] = room.take(layer.neurons);
            if (Rule::kHasH && l + 1 < kDepth) R_[l] = room.take(layer.neurons);
            if constexpr (l > 0) {
                S_[l] = room.take(layer.neurons);
                T_[l] = room.take(layer.neurons);
                if (Rule::kHasH) h_[l] = room.take(layer.neurons * layer.stride);
                w_[l] = room.take(layer.neurons * layer.stride);
            }
        });
    }

    BITBAYES_INLINE float* nu_of_first() const { return nu_[0]; }
    BITBAYES_INLINE float* D_of_first() const { return D_[0]; }

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

    // From nu of layer 1 to the moments of the output; they are the ones given if there are no other layers.
    BITBAYES_INLINE NeuronMoments forward(NeuronMoments output) const {
        for_layers<1, kDepth>([&](auto l) {
            forward_layer<l>();
            team_.sync();
            output = {S_[l][0], T_[l][0]};
        });
        return output;
    }

    // Sends messages after forward(): D_of_first() has those to layer 1 then. update() learns the target afterwards, when nobody waits
    // for it; BackProp has learned it here already.
    BITBAYES_INLINE void backward(const NeuronMessage& target) const {
        for_layers<1, kDepth>([&](auto from_top) {
            constexpr std::uint32_t l = kDepth - from_top;
            if constexpr (!Rule::kHasH) {
                backprop_layer<l>(target);
            } else if constexpr (l + 1 < kDepth) {
                backward_layer<l, Neuron::kHidden>(target);
            } else if (target.eps > 0) {
                backward_layer<l, Neuron::kNoisyOutput>(target);
            } else {
                backward_layer<l, Neuron::kOutput>(target);
            }
            team_.sync();
        });
    }

    // Each thread the weights whose messages it has sent. Other threads see them after a barrier.
    BITBAYES_INLINE void update(float rate) const {
        if constexpr (!Rule::kHasH) return;
        for_layers<1, kDepth>([&](auto l) {
            each_child<l>([&](std::uint32_t, std::uint32_t child, std::uint32_t at) {
                const Lanes R(R_[l - 1][child]), v(nu_[l - 1][child]);
                const Lanes h = fma(Lanes(0.5f * rate) * R, v, Lanes(h_[l][at]));
                h_[l][at] = h.v;
                w_[l][at] = weight_mean(h).v;
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

    // visit(i, child, at): neuron i of layer l, its input `child` among all neurons below, and the place of their weight.
    template <std::uint32_t l, class Visit>
    BITBAYES_INLINE void each_child(const Visit& visit) const {
        const TreeLayer& layer = trees_.layer[l];
        for (std::uint32_t child = team_.thread(); child < layer.neurons * layer.fan_in;
             child += team_.threads()) {
            const std::uint32_t i = child / layer.fan_in;
            visit(i, child, i * layer.stride + child % layer.fan_in);
        }
    }

    template <std::uint32_t l>
    BITBAYES_INLINE void forward_layer() const {
        const TreeLayer& layer = trees_.layer[l];
        const float floor = kVarianceFloor * static_cast<float>(layer.fan_in);
        const std::uint32_t groups = team_.threads() / kGroup, lane = team_.thread() % kGroup;
        for (std::uint32_t i = team_.thread() / kGroup; i < layer.neurons; i += groups) {
            const float *row = w_[l] + i * layer.stride, *below = nu_[l - 1] + i * layer.fan_in;
            Lanes S(0.0f), T(0.0f);
            for (std::uint32_t j = lane; j < layer.fan_in; j += kGroup) {
                if constexpr (!Rule::kHasH) {
                    S = fma(Lanes(row[j]), Lanes(below[j]), S);
                    continue;
                }
                const Lanes p = Lanes(row[j]) * Lanes(below[j]);
                S = S + p;
                T = T + negative_fma(p, p, Lanes(1.0f));
            }
            NeuronMoments m{team_.total(S.v), 1.0f};
            if constexpr (Rule::kHasH) m.T = team_.total(T.v) + floor;
            if (lane == 0) {
                S_[l][i] = m.S;
                T_[l][i] = m.T;
                nu_[l][i] = Rule::nu(m);
            }
        }
    }

    template <std::uint32_t l, Neuron kNeuron>
    BITBAYES_INLINE void backward_layer(const NeuronMessage& target) const {
        each_child<l>([&](std::uint32_t i, std::uint32_t child, std::uint32_t at) {
            const float D = kNeuron == Neuron::kHidden ? D_[l][i] : target.D;
            const FullGain<kNeuron> gain(S_[l][i], T_[l][i], D, target.eps);
            const Lanes w(w_[l][at]);
            const Lanes R = Lanes(D) * tanh(gain.at(w, Lanes(nu_[l - 1][child])));
            D_[l - 1][child] = (R * w).v;
            R_[l - 1][child] = R.v;
        });
    }

    template <std::uint32_t l>
    BITBAYES_INLINE void backprop_layer(const NeuronMessage& target) const {
        constexpr bool kOutput = l + 1 == kDepth;
        each_child<l>([&](std::uint32_t i, std::uint32_t child, std::uint32_t at) {
            const Lanes d(Backprop::delta(nu_[l][i], kOutput ? target.D : D_[l][i], kOutput));
            const Lanes w(w_[l][at]);
            D_[l - 1][child] = (d * w).v;
            w_[l][at] = fma(Lanes(target.rate) * d, Lanes(nu_[l - 1][child]), w).v;
        });
    }

    const Team& team_;
    const Trees& trees_;
    std::uint32_t tree_;
    float *nu_[kDepth], *D_[kDepth], *R_[kDepth], *S_[kDepth], *T_[kDepth], *h_[kDepth],
        *w_[kDepth];
};
