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

struct TreeTarget {
    float y, rate, eps;
};

// A weight above layer 1 learns R, what it was told times its parent's message.
template <class Rule>
BITBAYES_INLINE void learn_link(float& h, float& w, float R, float nu, float rate) {
    if constexpr (Rule::kHasH) {
        const Lanes moved = fma(Lanes(0.5f * rate) * Lanes(R), Lanes(nu), Lanes(h));
        h = moved.v;
        w = weight_mean(moved).v;
    } else {
        w = fma(Lanes(rate) * Lanes(R), Lanes(nu), Lanes(w)).v;
    }
}

// The neurons above layer 1 of one tree and the weights above layer 2, in memory of the block. Layers are numbered as in Trees, from 1 here.
// The weights of layer 1 of Trees belong to the neurons below them; what they and their neurons say comes by tell().
template <class Rule, std::uint32_t kDepth, class Team>
class UpperLayers {
  public:
    BITBAYES_INLINE UpperLayers(const Team& team, const Trees& trees, std::uint32_t tree,
                                Room& room)
        : team_(team), trees_(trees), tree_(tree) {
        for_layers<1, kDepth>([&](auto l) {
            const TreeLayer& layer = layer_[l] = trees.layer[l];
            const std::uint32_t told = layer.neurons * told_stride(layer.fan_in);
            first_[l] = room.take(told);
            second_[l] = room.take(told);
            for (std::uint32_t k = team.thread(); k < told; k += team.threads())
                first_[l][k] = second_[l][k] = 0;
            S_[l] = room.take(layer.neurons);
            T_[l] = room.take(layer.neurons);
            nu_[l] = room.take(layer.neurons);
            D_[l] = room.take(layer.neurons);
            if constexpr (l > 1) {
                if (Rule::kHasH) h_[l] = room.take(layer.neurons * layer.stride);
                w_[l] = room.take(layer.neurons * layer.stride);
            }
        });
    }

    BITBAYES_INLINE void load(bool with_h) const {
        for_layers<2, kDepth>([&](auto l) {
            each<l>([&](std::uint32_t k) {
                if (Rule::kHasH && with_h) h_[l][k] = far(trees_.h[l], l)[k];
                w_[l][k] = far(trees_.w[l], l)[k];
            });
        });
    }
    BITBAYES_INLINE void save() const {
        for_layers<2, kDepth>([&](auto l) {
            each<l>([&](std::uint32_t k) {
                if (Rule::kHasH) far(trees_.h[l], l)[k] = h_[l][k];
                far(trees_.w[l], l)[k] = w_[l][k];
            });
        });
    }

    // The weight of a neuron of layer 1 among all weights of its parent's layer.
    BITBAYES_INLINE std::size_t link(std::uint32_t child) const {
        return static_cast<std::size_t>(tree_) * layer_[1].floats() +
               place<1>(parent<1>(child), child);
    }

    // What a neuron of layer 1 says.
    BITBAYES_INLINE void tell(std::uint32_t child, const Told& told) const { tell<1>(child, told); }

    // When all neurons of layer 1 have said it: the moments of the output.
    // meanwhile() is called once by all threads.
    template <class Meanwhile>
    BITBAYES_INLINE NeuronMoments forward(const Meanwhile& meanwhile) const {
        for_layers<1, kDepth>([&](auto l) {
            team_.sync();
            if (l == 1) meanwhile();
            add<l>();
            team_.sync();
            if constexpr (l + 1 < kDepth) {
                for (std::uint32_t i = team_.thread(); i < layer_[l].neurons;
                     i += team_.threads()) {
                    const float nu = Rule::nu({S_[l][i], T_[l][i]});
                    nu_[l][i] = nu;
                    tell<l + 1>(i, Rule::told(w_[l + 1][place<l + 1>(parent<l + 1>(i), i)], nu));
                }
            } else if constexpr (!Rule::kHasH) {
                if (team_.thread() == 0) nu_[l][0] = Rule::nu({S_[l][0], T_[l][0]});
                team_.sync();
            }
        });
        return {S_[kDepth - 1][0], T_[kDepth - 1][0]};
    }

    // After forward(): messages to all neurons above layer 1.
    BITBAYES_INLINE void backward(const TreeTarget& target) const {
        for_layers<2, kDepth>([&](auto from_top) {
            constexpr std::uint32_t l = kDepth + 1 - from_top;
            each_child<l>([&](std::uint32_t i, std::uint32_t child, std::uint32_t at) {
                const float w = w_[l][at];
                D_[l - 1][child] = pull<l>(target, i, w, nu_[l - 1][child]) * w;
            });
            team_.sync();
        });
    }

    // After backward(): what the weight of a neuron of layer 1 learns, before its factor nu. Times w it is the message to the neuron.
    BITBAYES_INLINE float pull_first(const TreeTarget& target, std::uint32_t child, float w,
                                     float nu) const {
        return pull<1>(target, parent<1>(child), w, nu);
    }

    // Learns the target, when all messages are sent.
    BITBAYES_INLINE void update(const TreeTarget& target) const {
        for_layers<2, kDepth>([&](auto l) {
            each_child<l>([&](std::uint32_t i, std::uint32_t child, std::uint32_t at) {
                const float nu = nu_[l - 1][child], R = pull<l>(target, i, w_[l][at], nu);
                float none = 0;
                learn_link<Rule>(Rule::kHasH ? h_[l][at] : none, w_[l][at], R, nu, target.rate);
            });
        });
    }

    BITBAYES_INLINE void forget(float share) const {
        for_layers<2, kDepth>([&](auto l) {
            each<l>([&](std::uint32_t k) {
                h_[l][k] -= share * (h_[l][k] - far(trees_.h0[l], l)[k]);
                w_[l][k] = weight_mean(Lanes(h_[l][k])).v;
            });
        });
    }

    BITBAYES_INLINE bool finite() const {
        bool all = true;
        for_layers<2, kDepth>([&](auto l) {
            each<l>(
                [&](std::uint32_t k) { all = all && is_finite((Rule::kHasH ? h_[l] : w_[l])[k]); });
        });
        return all;
    }

  private:
    // This tree's weights of a layer.
    template <class T>
    BITBAYES_INLINE T* far(T* all, std::uint32_t l) const {
        return all + static_cast<std::size_t>(tree_) * layer_[l].floats();
    }
    template <std::uint32_t l, class Visit>
    BITBAYES_INLINE void each(const Visit& visit) const {
        for (std::uint32_t k = team_.thread(); k < layer_[l].floats(); k += team_.threads())
            visit(k);
    }

    template <std::uint32_t l>
    BITBAYES_INLINE std::uint32_t parent(std::uint32_t child) const {
        return l + 1 == kDepth ? 0 : child / layer_[l].fan_in;
    }
    // Of the weight between neuron i of layer l and its input `child` among all neurons below.
    template <std::uint32_t l>
    BITBAYES_INLINE std::uint32_t place(std::uint32_t i, std::uint32_t child) const {
        return i * layer_[l].stride + child - i * layer_[l].fan_in;
    }
    template <std::uint32_t l>
    BITBAYES_INLINE void tell(std::uint32_t child, const Told& told) const {
        const std::uint32_t i = parent<l>(child),
                            at = i * told_stride(layer_[l].fan_in) + child - i * layer_[l].fan_in;
        first_[l][at] = told.first;
        second_[l][at] = told.second;
    }

    // visit(i, child, place)
    template <std::uint32_t l, class Visit>
    BITBAYES_INLINE void each_child(const Visit& visit) const {
        const std::uint32_t children = layer_[l].neurons * layer_[l].fan_in;
        for (std::uint32_t child = team_.thread(); child < children; child += team_.threads()) {
            const std::uint32_t i = parent<l>(child);
            visit(i, child, place<l>(i, child));
        }
    }

    // S and T of a layer from what its children told, each sum by a group of its own.
    template <std::uint32_t l>
    BITBAYES_INLINE void add() const {
        constexpr std::uint32_t kSums = Rule::kHasH ? 2 : 1;
        const TreeLayer layer = layer_[l];
        const std::uint32_t groups = team_.threads() / kGroup, lane = team_.thread() % kGroup;
        const std::uint32_t second = team_.thread() / kGroup % 2, sums = kSums * layer.neurons;
        for (std::uint32_t k = team_.thread() / kGroup - second; k < sums; k += groups) {
            const std::uint32_t own = k + second < sums ? k + second : k;  // both groups of a warp
            const std::uint32_t i = own / kSums, stride = told_stride(layer.fan_in);
            const bool variance = Rule::kHasH && own % kSums == 1;
            const float *from = (variance ? second_[l] : first_[l]) + i * stride,
                        *factor = second_[l] + i * stride;
            Lanes sum(0.0f);
            // Zeros behind the last child change nothing.
            [[maybe_unused]] constexpr int kTimes = 2;
            BITBAYES_UNROLL_TIMES
            for (std::uint32_t j = lane; j < stride; j += kToldAtOnce * kGroup) {
                BITBAYES_UNROLL
                for (std::uint32_t a = 0; a < kToldAtOnce; ++a) {
                    const Lanes x(from[j + a * kGroup]);
                    sum = Rule::kHasH ? sum + x : fma(Lanes(factor[j + a * kGroup]), x, sum);
                }
            }
            const float total = team_.total(sum.v);
            if (lane != 0) continue;
            if (variance) {
                T_[l][i] = total + kVarianceFloor * static_cast<float>(layer.fan_in);
            } else {
                S_[l][i] = total;
                if (!Rule::kHasH) T_[l][i] = 1;
            }
        }
    }

    template <std::uint32_t l>
    BITBAYES_INLINE float pull(const TreeTarget& target, std::uint32_t i, float w, float nu) const {
        constexpr bool kOutput = l + 1 == kDepth;
        const float D = kOutput ? target.y : D_[l][i];
        if constexpr (!Rule::kHasH) {
            return Backprop::delta(nu_[l][i], D, kOutput);
        } else if constexpr (!kOutput) {
            return pull_by<l, Neuron::kHidden>(D, 0, i, w, nu);
        } else {
            return target.eps > 0 ? pull_by<l, Neuron::kNoisyOutput>(D, target.eps, i, w, nu)
                                  : pull_by<l, Neuron::kOutput>(D, 0, i, w, nu);
        }
    }
    template <std::uint32_t l, Neuron kNeuron>
    BITBAYES_INLINE float pull_by(float D, float eps, std::uint32_t i, float w, float nu) const {
        const FullGain<kNeuron> gain(S_[l][i], T_[l][i], D, eps);
        return (Lanes(D) * tanh(gain.at(Lanes(w), Lanes(nu)))).v;
    }

    const Team& team_;
    const Trees& trees_;
    std::uint32_t tree_;
    TreeLayer layer_[kDepth];
    // What children tell, zeros behind the last of each neuron.
    float *first_[kDepth], *second_[kDepth];
    float *nu_[kDepth], *D_[kDepth], *S_[kDepth], *T_[kDepth], *h_[kDepth], *w_[kDepth];
};
