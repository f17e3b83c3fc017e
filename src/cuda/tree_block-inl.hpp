// A block of rows through trees, by blocks of threads; included inside a namespace after
// upper_layers-inl.hpp. Equations and order of statements are those of its twins,
// kernels/tree_kernels-inl.hpp and learn/tree_part.hpp, and so are the bits: 16 threads, a group,
// share a neuron of layer 1 as the 16 lanes of the CPU do, and sums run in the same order.
//
// A tree is shared by `parts` blocks of threads. Each holds some rows of layer 1, and a copy of all
// layers above, in which every block computes the same numbers. What crosses blocks is nu of layer
// 1: a word of 64 bits for each neuron holds nu and the number of the row, so that whoever reads it
// knows whether it has arrived, and no barrier between blocks is needed. All blocks of a tree must
// run at the same time.
//
// Team is what runs the threads, a card or its emulation:
//   thread(), threads(), block()   numbers of this thread and its block
//   sync()                         waits for all threads of the block and shows them its writes
//   together()                     waits for the 16 threads of a group
//   total(x), smallest(x)          of the 16 threads of a group, all of which call it
//   any_in_step(x)                 whether x holds in this group, or in one that runs the same instructions at the same time
//   store_word(p, x), load_word(p) 64 bits at once, in memory that all blocks see
//   pause()                        between two looks at a word

// As LabelNoise's followed().
BITBAYES_INLINE float followed(float eps, float z, float y) {
    const float wrong = y * z <= -1 ? 1.0f : 0.0f;
    const float next = eps + (wrong - eps) / 1000.0f;
    return next < 1e-4f ? 1e-4f : 0.45f < next ? 0.45f : next;
}

// One block of threads at its part of a tree.
template <class Rule, std::uint32_t kDepth, Place kPlace, class Team>
class TreeBlock {
  public:
    // `block`: its number among those of this lesson.
    BITBAYES_INLINE TreeBlock(const Team& team, const TreeLesson& lesson, std::uint32_t block,
                              float* shared)
        : team_(team),
          lesson_(lesson),
          layer_(lesson.trees.layer[0]),
          tree_(block / lesson.plan.parts),
          part_(block % lesson.plan.parts),
          first_(part_ * lesson.plan.neurons),
          room_{shared},
          upper_(team, lesson.trees, tree_, room_) {
        const std::uint32_t left = layer_.neurons - first_;
        count_ = left < lesson.plan.neurons ? left : lesson.plan.neurons;
        x_ = room_.take(kTurns * layer_.stride);
        S_ = room_.take(count_);
        T_ = room_.take(count_);
        smallest_h_ = room_.take(count_);
        const std::size_t offset =
            (static_cast<std::size_t>(tree_) * layer_.neurons + first_) * layer_.stride;
        far_h_ = Rule::kHasH ? lesson.trees.h[0] + offset : nullptr;
        far_w_ = lesson.trees.w[0] + offset;
        prior_ = lesson.trees.h0[0] == nullptr ? nullptr : lesson.trees.h0[0] + offset;
        near_ = kPlace == Place::kSplit && lesson.plan.near < count_ ? lesson.plan.near : count_;
        h_ = kPlace != Place::kFar && Rule::kHasH ? room_.take(near_ * layer_.stride) : far_h_;
        w_ = kPlace != Place::kFar ? room_.take(count_ * layer_.stride) : far_w_;
    }

    BITBAYES_INLINE void learn() {
        // Every block follows it. The first one stores it when all have told it their last nu, so all have read it by then.
        float eps = lesson_.eps == nullptr ? 0 : lesson_.eps[tree_];
        start();
        const std::uint32_t output = lesson_.first_tree + tree_, rows = lesson_.rows.count;
        for (std::uint32_t r = 0; r < rows; ++r) {
            fetch_begin(r + 2);
            gather(r);
            fetch_end(r + 2);
            team_.sync();
            const NeuronMoments top = upper_.forward({S_[0], T_[0]});
            if constexpr (kDepth == 1) team_.sync();  // before S and T of the next row come
            const float before = top.S / std::sqrt(top.T);
            if (part_ == 0 && team_.thread() == 0) lesson_.z[r * lesson_.outputs + output] = before;
            const float y = now_.label == (lesson_.outputs == 1 ? 1u : output) ? 1.0f : -1.0f;
            const float rate = lesson_.rate * now_.weight;
            const NeuronMessage target{y, rate, eps};
            upper_.backward(target);
            const bool last = r + 1 == rows,
                       fresh = (lesson_.samples_before + r + 1) % kRefreshEvery == 0;
            if (last || fresh) {
                learn_rows<false>(r, target);
            } else {
                learn_rows<true>(r, target);
            }
            upper_.update(rate);  // while the words of the next row travel
            if (lesson_.automatic && now_.weight != 0) eps = followed(eps, before, y);
            if (fresh) {
                team_.sync();
                refresh();
            }
            now_ = next_;
            next_ = after_;
            team_.sync();
            if (fresh && !last) forward_rows(r + 1);
        }
        if (kPlace != Place::kFar) {
            if (Rule::kHasH) copy(h_, far_h_, near_);
            copy(w_, far_w_, count_);
        }
        if (part_ > 0) return;
        upper_.save();
        if (lesson_.automatic && team_.thread() == 0) lesson_.eps[tree_] = eps;
    }

  private:
    static constexpr std::uint32_t kTurns =
        3;  // rows of inputs in shared memory: this one, the next, the one after
    static constexpr std::uint32_t kAhead = 2;  // inputs that a thread holds on their way there

    BITBAYES_INLINE void start() {
        upper_.load(true);
        if (kPlace != Place::kFar) {
            if (Rule::kHasH) copy(far_h_, h_, near_);
            copy(far_w_, w_, count_);
        }
        for (std::uint32_t i = team_.thread(); i < count_; i += team_.threads())
            smallest_h_[i] = -1;
        for (std::uint32_t r = 0; r < 2; ++r) {
            now_ = next_;
            next_ = after_;
            fetch_begin(r);
            fetch_end(r);
        }
        now_ = next_;
        next_ = after_;
        team_.sync();
        forward_rows(0);
    }

    BITBAYES_INLINE std::uint32_t group() const { return team_.thread() / kGroup; }
    BITBAYES_INLINE std::uint32_t groups() const { return team_.threads() / kGroup; }

    BITBAYES_INLINE void copy(const float* from, float* to, std::uint32_t neurons) {
        for (std::uint32_t k = team_.thread() * 4; k < neurons * layer_.stride;
             k += team_.threads() * 4) {
            store_four(to + k, load_four(from + k));
        }
    }

    // Row r on its way into shared memory, while the threads wait for others anyway.
    BITBAYES_INLINE void fetch_begin(std::uint32_t r) {
        if (r >= lesson_.rows.count) return;
        after_ = lesson_.rows.facts[r];
        const float* from = lesson_.rows.x + static_cast<std::size_t>(r) * layer_.stride;
        BITBAYES_UNROLL
        for (std::uint32_t k = 0; k < kAhead; ++k) {
            const std::uint32_t at = team_.thread() + k * team_.threads();
            if (at < layer_.stride) ahead_[k] = from[at];
        }
    }
    BITBAYES_INLINE void fetch_end(std::uint32_t r) {
        if (r >= lesson_.rows.count) return;
        const float* from = lesson_.rows.x + static_cast<std::size_t>(r) * layer_.stride;
        float* to = x_ + r % kTurns * layer_.stride;
        BITBAYES_UNROLL
        for (std::uint32_t k = 0; k < kAhead; ++k) {
            const std::uint32_t at = team_.thread() + k * team_.threads();
            if (at < layer_.stride) to[placed(at, layer_.stride)] = ahead_[k];
        }
        for (std::uint32_t at = team_.thread() + kAhead * team_.threads(); at < layer_.stride;
             at += team_.threads()) {
            to[placed(at, layer_.stride)] = from[at];
        }
    }

    BITBAYES_INLINE Inputs input(std::uint32_t r, const RowFacts& facts) const {
        return {x_ + r % kTurns * layer_.stride, facts.square_sum, facts.largest};
    }

    BITBAYES_INLINE std::uint64_t* words(std::uint32_t r) const {
        const std::size_t turn = (lesson_.turn + r) % 2;
        return lesson_.words + (turn * lesson_.trees.count + tree_) * layer_.neurons;
    }

    // The moments of a neuron for row r, and its nu for the other blocks.
    BITBAYES_INLINE void publish(std::uint32_t r, std::uint32_t i, const NeuronMoments& m) {
        if (team_.thread() % kGroup != 0) return;
        S_[i] = m.S;
        T_[i] = m.T;
        if constexpr (kDepth > 1) {
            const std::uint64_t number = lesson_.turn + r;
            team_.store_word(words(r) + first_ + i, number << 32 | float_to_bits(Rule::nu(m)));
        }
    }

    BITBAYES_INLINE void gather(std::uint32_t r) {
        if constexpr (kDepth == 1) return;
        const std::uint32_t number = lesson_.turn + r;
        const std::uint64_t* from = words(r);
        for (std::uint32_t i = team_.thread(); i < layer_.neurons; i += team_.threads()) {
            std::uint64_t found = team_.load_word(from + i);
            while (static_cast<std::uint32_t>(found >> 32) != number) {
                team_.pause();
                found = team_.load_word(from + i);
            }
            upper_.nu_of_first()[i] = bits_to_float(static_cast<std::uint32_t>(found));
        }
    }

    BITBAYES_INLINE float* row_of(float* rows, std::uint32_t i) const {
        return rows + static_cast<std::size_t>(i) * layer_.stride;
    }
    BITBAYES_INLINE float* h_of(std::uint32_t i) const {
        return row_of(kPlace == Place::kSplit && i >= near_ ? far_h_ : h_, i);
    }

    BITBAYES_INLINE void forward_rows(std::uint32_t r) {
        for (std::uint32_t i = group(); i < count_; i += groups()) {
            publish(r, i,
                    forward_input_row<Rule>(team_, row_of(w_, i), input(r, now_), layer_.stride));
        }
    }

    template <bool kNext>
    BITBAYES_INLINE void learn_rows(std::uint32_t r, const NeuronMessage& target) {
        const Inputs now = input(r, now_), next = input(r + 1, next_);
        for (std::uint32_t k = group(); k < count_; k += groups()) {
            // What streams starts every other row from where the row before ended: that is still in the card's cache.
            const std::uint32_t i = kPlace == Place::kFar && r % 2 != 0 ? count_ - 1 - k : k;
            float* w = row_of(w_, i);
            const NeuronMoments m{S_[i], T_[i]};
            const float D = kDepth == 1 ? target.D : upper_.D_of_first()[first_ + i];
            PartSums<Rule> sums;
            bool skipped = false;
            if constexpr (Rule::kHasH) {
                InputNeuron<kDepth == 1, kPlace, Team> neuron(team_, h_of(i), w, layer_,
                                                              smallest_h_[i]);
                sums = neuron.template learn<kNext>(now, m, {D, target.rate, target.eps}, next.x);
                skipped = neuron.skipped();
            } else {
                const float step = target.rate * Rule::delta(Rule::nu(m), D, kDepth == 1);
                sums = backprop_input_row<kNext>(team_, w, now.x, next.x, layer_.stride, step);
            }
            if constexpr (kNext) {
                publish(r + 1, i,
                        skipped ? forward_input_row<Rule>(team_, w, next, layer_.stride)
                                : finish(team_, sums, next));
            }
        }
    }

    // After a barrier: a group may have other neurons than it has learned.
    BITBAYES_INLINE void refresh() {
        const std::uint32_t stride = layer_.stride, lane = team_.thread() % kGroup;
        const bool forgets = Rule::kHasH && prior_ != nullptr;
        bool finite = true;
        for (std::uint32_t i = group(); i < count_; i += groups()) {
            if (forgets && lane == 0) smallest_h_[i] = -1;
            float *h = h_of(i), *w = row_of(w_, i);
            for (std::uint32_t j = lane; j < stride; j += kGroup) {
                const std::uint32_t at = placed(j, stride);
                if constexpr (Rule::kHasH) {
                    if (forgets) {
                        const float prior = prior_[static_cast<std::size_t>(i) * stride + at];
                        h[at] -= lesson_.forgotten * (h[at] - prior);
                    }
                    w[at] = weight_mean(Lanes(h[at])).v;
                }
                finite = finite && is_finite((Rule::kHasH ? h : w)[at]);
            }
        }
        if (forgets) upper_.forget(lesson_.forgotten);
        if (!finite || !upper_.finite()) *lesson_.broken = 1;
    }

    const Team& team_;
    const TreeLesson& lesson_;
    const TreeLayer layer_;  // the first
    std::uint32_t tree_, part_, first_, count_ = 0;
    std::uint32_t near_;  // neurons whose h is where h_ says, the first ones
    Room room_;
    UpperLayers<Rule, kDepth, Team> upper_;
    float *x_, *S_, *T_, *smallest_h_, *far_h_, *far_w_, *h_, *w_;
    const float* prior_;
    RowFacts now_{}, next_{}, after_{};  // of this row, the next, the one after
    float ahead_[kAhead] = {};
};

// z of some rows, from one tree.
template <class Rule, std::uint32_t kDepth, class Team>
BITBAYES_INLINE void answer_rows(const Team& team, const TreeQuestion& question, float* shared) {
    const Trees& trees = question.trees;
    const TreeLayer layer = trees.layer[0];
    const std::uint32_t tree = team.block() % trees.count;
    const std::uint32_t first = team.block() / trees.count * question.rows_per_block;
    const std::uint32_t last = first + question.rows_per_block,
                        end = last < question.rows.count ? last : question.rows.count;
    Room room{shared};
    UpperLayers<Rule, kDepth, Team> upper(team, trees, tree, room);
    float* output = room.take(2);
    float* x = room.take(layer.stride);
    upper.load(false);
    const float* w = trees.w[0] + static_cast<std::size_t>(tree) * layer.neurons * layer.stride;
    for (std::uint32_t r = first; r < end; ++r) {
        const RowFacts facts = question.rows.facts[r];
        const Inputs input{x, facts.square_sum, facts.largest};
        const float* from = question.rows.x + static_cast<std::size_t>(r) * layer.stride;
        for (std::uint32_t k = team.thread(); k < layer.stride; k += team.threads())
            x[placed(k, layer.stride)] = from[k];
        team.sync();
        for (std::uint32_t i = team.thread() / kGroup; i < layer.neurons;
             i += team.threads() / kGroup) {
            const NeuronMoments m = forward_input_row<Rule>(
                team, w + static_cast<std::size_t>(i) * layer.stride, input, layer.stride);
            if (team.thread() % kGroup != 0) continue;
            upper.nu_of_first()[i] = Rule::nu(m);
            if (i == 0) {
                output[0] = m.S;
                output[1] = m.T;
            }
        }
        team.sync();
        const NeuronMoments top = upper.forward({output[0], output[1]});
        if (team.thread() == 0) {
            question.z[r * question.outputs + question.first_tree + tree] =
                top.S / std::sqrt(top.T);
        }
        team.sync();
    }
}

// w = tanh h of one element of layer 1, of all trees.
BITBAYES_INLINE void refresh_weight(const Trees& trees, std::size_t at) {
    trees.w[0][at] = weight_mean(Lanes(trees.h[0][at])).v;
}
