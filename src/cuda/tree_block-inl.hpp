// A block of rows through trees, by blocks of threads; included inside a namespace after
// upper_layers-inl.hpp. Equations and order of statements are those of its twins,
// kernels/tree_kernels-inl.hpp and learn/tree_part.hpp, and so are the bits: 16 threads, a group,
// share a neuron of layer 1 as the 16 lanes of the CPU do, and sums run in the same order.
//
// A tree is shared by `parts` blocks of threads. Each holds some neurons of layer 1 with their weights to both sides, and a copy of
// all layers above, in which every block computes the same numbers. What crosses blocks is what neurons of layer 1 tell
// their parents: a word of 64 bits holds the number w nu and the number of the row, so that whoever
// reads it knows whether it has arrived, and no barrier between blocks is needed. All blocks of a tree
// must run at the same time.
//
// In the order of a row, with a barrier of the block between:
//   tell    nu of layer 1 to all blocks, a neuron per thread
//   gather  what all neurons of layer 1 tell
//   add     it to S and T of the layers above; the next row comes meanwhile
//   send    messages back to layer 1, a neuron per thread; meanwhile the last threads compute what is known of its steps
//   learn   layer 1 and its weights to the layer above; S and T of the next row
//
// Team is what runs the threads, a card or its emulation:
//   thread(), threads(), block()   numbers of this thread and its block
//   sync()                         waits for all threads of the block, or of its side of a block, and shows them its writes
//   together()                     waits for the 16 threads of a group
//   total(x), smallest(x)          of the 16 threads of a group, all of which call it; total() by both groups of a warp together
//   totals(x, y)                   makes x total(x) and y total(y); likewise
//   any_of_pair(x)                 whether x holds in this group or in the other one of its warp, which calls it at the same time
//   store_word(p, x), load_word(p) 64 bits at once, in memory that all blocks see
//   wait(look)                     looks again and again until look() is true
//   copy_four(to, from)            into shared memory, some time later; copies up to commit() are one set
//   await<n>()                     waits for all of this thread's sets but the last n
//   prefetch(p)                    brings a line of memory into a cache, some time later
//   finished(part)                 all since the last call was this RowPart

// As LabelNoise's followed().
BITBAYES_INLINE float followed(float eps, float z, float y) {
    const float wrong = y * z <= -1 ? 1.0f : 0.0f;
    const float next = eps + (wrong - eps) / 1000.0f;
    return next < 1e-4f ? 1e-4f : 0.45f < next ? 0.45f : next;
}

// One block of threads at its part of a tree. kWide: all that it keeps of rows and of the layers above the first is in the card's memory.
template <class Rule, std::uint32_t kDepth, Place kPlace, bool kWide, class Team>
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
          rows_(lesson.rows),
          turn_(lesson.turn),
          words_(lesson.words + tree_ * layer_.neurons * Rule::kWords),
          other_words_(words_ + lesson.trees.count * layer_.neurons * Rule::kWords),
          room_{kWide ? lesson.room + block * lesson.plan.room_floats : shared},
          upper_(team, lesson.trees, tree_, room_) {
        const std::uint32_t left = layer_.neurons - first_;
        count_ = left < lesson.plan.neurons ? left : lesson.plan.neurons;
        x_ = room_.take(kTurns * 4 * row_fours());
        facts_ = reinterpret_cast<RowFacts*>(room_.take(kTurns * kFloatsOfFacts));
        S_ = room_.take(count_);
        T_ = room_.take(count_);
        step_ = room_.take(count_);
        smallest_h_ = reinterpret_cast<std::uint32_t*>(room_.take(count_));
        if constexpr (kDepth > 1) {
            nu_ = room_.take(count_);
            R_ = room_.take(count_);
            link_h_ = room_.take(count_);
            link_w_ = room_.take(count_);
        }
        if constexpr (kHasForms) {
            form_ = reinterpret_cast<HiddenForm*>(
                room_.take(count_ * static_cast<std::uint32_t>(sizeof(HiddenForm) / 4)));
        }
        if (Rule::kHasH) {
            Room in_shared{shared};
            way_ = (kWide ? in_shared : room_).take(way_floats(kPlace, team.threads())) +
                   team.thread() * 4;
        }
        const std::size_t offset =
            (static_cast<std::size_t>(tree_) * layer_.neurons + first_) * layer_.stride;
        far_h_ = Rule::kHasH ? lesson.trees.h[0] + offset : nullptr;
        far_w_ = lesson.trees.w[0] + offset;
        prior_ = lesson.trees.h0[0] == nullptr ? nullptr : lesson.trees.h0[0] + offset;
        if constexpr (kPlace == Place::kSplit)
            near_h_ = NearPart{layer_.stride, lesson.plan.far_pieces};
        h_ = kNear && Rule::kHasH ? room_.take(count_ * h_stride()) : far_h_;
        w_ = kNear ? room_.take(count_ * layer_.stride) : far_w_;
    }

    BITBAYES_INLINE void learn() {
        // Every block follows it. The first one stores it when all have told it their last nu, so all have read it by then.
        float eps = lesson_.eps == nullptr ? 0 : lesson_.eps[tree_];
        start();
        team_.finished(RowPart::kCopy);
        const std::uint32_t wanted = lesson_.outputs == 1 ? 1u : lesson_.first_tree + tree_,
                            rows = rows_.count;
        const float rate = lesson_.rate;
        for (std::uint32_t r = 0; r < rows; ++r) {
            tell(r);
            // In the place of the row before, which all have learned by then.
            const NeuronMoments top = forward(r, [&] { fetch(r + 1); });
            team_.finished(RowPart::kAdd);
            const float y = facts(r).label == wanted ? 1.0f : -1.0f, weight = facts(r).weight;
            const TreeTarget target{y, rate * weight, eps};
            upper_.backward(target);
            send(target);
            if constexpr (kHasForms) set_forms(r);
            const float before = answer(r, top);
            team_.template await<0>();  // that row
            team_.sync();
            team_.finished(RowPart::kSend);
            const bool last = r + 1 == rows, fresh = refreshes(lesson_.samples_before + r + 1);
            if constexpr (kDepth > 1) learn_links(rate * weight);
            if (last || fresh) {
                learn_rows<false>(r, target);
            } else {
                learn_rows<true>(r, target);
            }
            upper_.update(target);
            if (lesson_.automatic && weight != 0) eps = followed(eps, before, y);
            team_.finished(RowPart::kLearn);
            if (last || fresh) {
                team_.sync();
                if (fresh) refresh();
                team_.sync();
                if (!last) forward_rows(r + 1);
                team_.finished(RowPart::kRefresh);
            }
        }
        if (kNear) {
            if (Rule::kHasH)
                each_four_of_h([&](float* near, float* far) { store_four(far, load_four(near)); });
            copy(w_, far_w_);
        }
        if constexpr (kDepth > 1) {
            each_own([&](std::uint32_t i) {
                const std::size_t at = upper_.link(first_ + i);
                if (Rule::kHasH) lesson_.trees.h[1][at] = link_h_[i];
                lesson_.trees.w[1][at] = link_w_[i];
            });
        }
        if (part_ > 0) return;
        upper_.save();
        if (lesson_.automatic && team_.thread() == 0) lesson_.eps[tree_] = eps;
    }

  private:
    static constexpr std::uint32_t kTurns = 2;         // rows of inputs in shared memory
    static constexpr std::uint32_t kPrefetchers = 32;  // threads
    // Neurons of layer 1 whose words are on their way to a thread: as many as there are registers for.
    static constexpr std::uint32_t kGathered = Rule::kHasH && kPlace != Place::kSplit ? 8 : 1;
    static constexpr std::uint32_t kFloatsOfFacts = sizeof(RowFacts) / sizeof(float);
    static constexpr bool kHasForms = Rule::kHasH && kDepth > 1;
    static constexpr bool kSparse = kPlace == Place::kSparse;
    static constexpr bool kNear = kPlace == Place::kChip || kPlace == Place::kSplit;  // w is

    BITBAYES_INLINE void start() {
        upper_.load(true);
        if (kNear) {
            if (Rule::kHasH)
                each_four_of_h([&](float* near, float* far) { store_four(near, load_four(far)); });
            copy(far_w_, w_);
        }
        each_own([&](std::uint32_t i) {
            smallest_h_[i] = kMovedSince;
            if constexpr (kDepth > 1) {
                const std::size_t at = upper_.link(first_ + i);
                if (Rule::kHasH) link_h_[i] = lesson_.trees.h[1][at];
                link_w_[i] = lesson_.trees.w[1][at];
            }
        });
        fetch(0);
        team_.template await<0>();
        team_.sync();
        forward_rows(0);
    }

    // visit(i) for this block's neurons of layer 1, by the first threads or by the last ones.
    template <class Visit>
    BITBAYES_INLINE void each_own(const Visit& visit) const {
        for (std::uint32_t i = team_.thread(); i < count_; i += team_.threads()) visit(i);
    }
    template <class Visit>
    BITBAYES_INLINE void each_own_from_the_end(const Visit& visit) const {
        for (std::uint32_t i = team_.threads() - 1 - team_.thread(); i < count_;
             i += team_.threads())
            visit(i);
    }

    BITBAYES_INLINE std::uint32_t lane() const { return team_.thread() % kGroup; }
    BITBAYES_INLINE std::uint32_t group() const { return team_.thread() / kGroup; }
    BITBAYES_INLINE std::uint32_t groups() const { return team_.threads() / kGroup; }

    BITBAYES_INLINE void copy(const float* from, float* to) const {
        for (std::uint32_t k = team_.thread() * 4; k < count_ * layer_.stride;
             k += team_.threads() * 4) {
            store_four(to + k, load_four(from + k));
        }
    }

    BITBAYES_INLINE std::uint32_t h_stride() const {
        return kPlace == Place::kSplit ? near_h_.floats() : layer_.stride;
    }
    // visit(near, far) for all fours of h in shared memory and their places in the card's memory.
    template <class Visit>
    BITBAYES_INLINE void each_four_of_h(const Visit& visit) const {
        const std::uint32_t near_stride = h_stride();
        for (std::uint32_t k = team_.thread() * 4; k < count_ * near_stride;
             k += team_.threads() * 4) {
            const std::uint32_t i = k / near_stride, place = k - i * near_stride;
            const std::uint32_t at = kPlace == Place::kSplit ? near_h_.column(place) : place;
            visit(h_ + k, row_of(far_h_, i) + at);
        }
    }

    // Row r and what is known of it into shared memory, by the last threads while the first ones work: it is there after await<0>().
    BITBAYES_INLINE void fetch(std::uint32_t r) const {
        if (r >= rows_.count) return;
        const std::uint32_t first = team_.threads() - 1 - team_.thread();
        for (std::uint32_t four = first; four <= row_fours(); four += team_.threads()) {
            const bool is_facts = four == row_fours();
            const float* from = is_facts ? reinterpret_cast<const float*>(rows_.facts + r)
                                         : rows_.x + std::size_t{r} * layer_.stride + four * 4;
            float* to = is_facts ? reinterpret_cast<float*>(facts_ + r % kTurns)
                                 : x_ + r % kTurns * layer_.stride + four * 4;
            if constexpr (kWide) {
                store_four(to, load_four(from));
            } else {
                team_.copy_four(to, from);
            }
        }
        team_.commit();
        if (kSparse && first < kPrefetchers && r + 1 < rows_.count) prefetch(r + 1, first);
    }
    // Sparse rows stay in the card's memory; their entries come nearer, a line of a cache at a time.
    BITBAYES_INLINE void prefetch(std::uint32_t r, std::uint32_t number) const {
        constexpr std::uint32_t kLine = 32;
        const std::uint64_t end = rows_.sparse.start[r + 1];
        for (std::uint64_t k = rows_.sparse.start[r] + number * kLine; k < end;
             k += kPrefetchers * kLine) {
            team_.prefetch(rows_.sparse.index + k);
            team_.prefetch(rows_.x + k);
        }
    }
    // Of a row in shared memory; its facts lie behind them.
    BITBAYES_INLINE std::uint32_t row_fours() const { return kSparse ? 0 : layer_.stride / 4; }

    BITBAYES_INLINE const RowFacts& facts(std::uint32_t r) const { return facts_[r % kTurns]; }
    BITBAYES_INLINE Inputs input(std::uint32_t r) const {
        if constexpr (kSparse) return inputs_of(rows_, r, facts(r));
        return {x_ + r % kTurns * layer_.stride, facts(r).square_sum, facts(r).largest};
    }

    BITBAYES_INLINE std::uint64_t* words(std::uint32_t r) const {
        return (turn_ + r) % 2 == 0 ? words_ : other_words_;
    }

    // visit(i, mine) for this group's neurons of layer 1. Both groups of a warp are called together; where there is no neuron for one of them
    // it is not `mine`.
    template <class Visit>
    BITBAYES_INLINE void each_by_group(const Visit& visit) const {
        const std::uint32_t second = group() % 2;
        for (std::uint32_t k = group() - second; k < count_; k += groups()) {
            const bool mine = k + second < count_;
            visit(mine ? k + second : k, mine);
        }
    }

    // All groups of a warp call it together.
    BITBAYES_INLINE NeuronMoments total(const PartSums<Rule>& sums, const Inputs& input) const {
        NeuronMoments m{sums.S.v, 1.0f};
        if constexpr (Rule::kHasH) {
            m.T = sums.T.v;
            team_.totals(m.S, m.T);
            m.T += input.floor();
        } else {
            m.S = team_.total(m.S);
        }
        return m;
    }

    // What each neuron tells its parent of row r, when the moments of all are there.
    BITBAYES_INLINE void tell(std::uint32_t r) {
        if constexpr (kDepth > 1) {
            team_.sync();
            each_own([&](std::uint32_t i) {
                const float w = link_w_[i], v = nu_[i] = Rule::nu({S_[i], T_[i]});
                std::uint64_t* to = words(r) + (first_ + i) * Rule::kWords;
                team_.store_word(to, word(r, Rule::kWords == 1 ? Rule::told(w, v).first : v));
                if constexpr (Rule::kWords == 2) team_.store_word(to + 1, word(r, w));
            });
            team_.finished(RowPart::kTell);
        }
    }

    // The weights to the parents.
    BITBAYES_INLINE void learn_links(float rate) {
        each_own([&](std::uint32_t i) {
            float none = 0;
            learn_link<Rule>(Rule::kHasH ? link_h_[i] : none, link_w_[i], R_[i], nu_[i], rate);
        });
    }

    BITBAYES_INLINE std::uint64_t word(std::uint32_t r, float x) const {
        return std::uint64_t{turn_ + r} << 32 | float_to_bits(x);
    }

    BITBAYES_INLINE void set_forms(std::uint32_t r) {
        each_own_from_the_end([&](std::uint32_t i) {
            set_form(form_[i], {S_[i], T_[i]}, input(r));
        });
    }

    // What neurons first, first + apart, ... of layer 1 tell for row r, kAtOnce of them if there are so many: their words are on their way
    // together.
    template <std::uint32_t kAtOnce>
    BITBAYES_INLINE void gather(std::uint32_t r, std::uint32_t first, std::uint32_t apart) {
        constexpr std::uint32_t kWords = Rule::kWords;
        const std::uint64_t* from = words(r);
        std::uint64_t found[kAtOnce][kWords] = {};
        const auto is_neuron = [&](std::uint32_t k) {
            return k == 0 || first + k * apart < layer_.neurons;
        };
        team_.wait([&] {
            bool all = true;
            BITBAYES_UNROLL
            for (std::uint32_t k = 0; k < kAtOnce; ++k) {
                if (!is_neuron(k)) continue;
                BITBAYES_UNROLL
                for (std::uint32_t a = 0; a < kWords; ++a) {
                    found[k][a] = team_.load_word(from + (first + k * apart) * kWords + a);
                    all = all && static_cast<std::uint32_t>(found[k][a] >> 32) == turn_ + r;
                }
            }
            return all;
        });
        const auto number = [&](std::uint32_t k, std::uint32_t a) {
            return bits_to_float(static_cast<std::uint32_t>(found[k][a]));
        };
        BITBAYES_UNROLL
        for (std::uint32_t k = 0; k < kAtOnce; ++k) {
            if (is_neuron(k))
                upper_.tell(
                    first + k * apart,
                    Rule::from_words(number(k, 0), kWords == 2 ? number(k, kWords - 1) : 0));
        }
    }

    // The moments of the output for row r. meanwhile() is called by all threads, when most have nothing to do.
    template <class Meanwhile>
    BITBAYES_INLINE NeuronMoments forward(std::uint32_t r, const Meanwhile& meanwhile) {
        if constexpr (kDepth == 1) {
            team_.sync();
            meanwhile();
            return {S_[0], T_[0]};
        } else {
            const std::uint32_t first = team_.thread(), apart = team_.threads();
            if (layer_.neurons <= apart) {
                if (first < layer_.neurons) gather<1>(r, first, apart);
            } else {
                BITBAYES_NO_UNROLL
                for (std::uint32_t j = first; j < layer_.neurons; j += kGathered * apart)
                    gather<kGathered>(r, j, apart);
            }
            team_.finished(RowPart::kGather);
            return upper_.forward(meanwhile);
        }
    }

    // Messages to this block's neurons.
    BITBAYES_INLINE void send(const TreeTarget& target) {
        each_own([&](std::uint32_t i) {
            float D = target.y, v = 0;
            if constexpr (kDepth > 1) {
                const float w = link_w_[i];
                v = nu_[i];
                R_[i] = upper_.pull_first(target, first_ + i, w, v);
                D = R_[i] * w;
            } else if constexpr (!Rule::kHasH) {
                v = Rule::nu({S_[i], T_[i]});
            }
            if constexpr (Rule::kHasH) {
                step_[i] = 0.5f * target.rate * D;
            } else {
                step_[i] = target.rate * Backprop::delta(v, D, kDepth == 1);
            }
        });
    }

    // z of row r, which the last thread stores: it has nothing else to do.
    BITBAYES_INLINE float answer(std::uint32_t r, const NeuronMoments& top) const {
        const bool stores = part_ == 0 && team_.thread() + 1 == team_.threads();
        if (!stores && !lesson_.automatic) return 0;
        const float z = top.S / std::sqrt(top.T);
        if (stores) lesson_.z[std::size_t{r} * lesson_.outputs + lesson_.first_tree + tree_] = z;
        return z;
    }

    BITBAYES_INLINE float* row_of(float* rows, std::uint32_t i) const {
        return rows + static_cast<std::size_t>(i) * layer_.stride;
    }
    BITBAYES_INLINE InputWeights weights_of(std::uint32_t i) const {
        InputWeights weights{row_of(h_, i), row_of(w_, i), way_};
        if constexpr (kPlace == Place::kSplit) {
            weights.h = h_ + i * h_stride();
            weights.far_h = row_of(far_h_, i);
            weights.near = near_h_;
        }
        return weights;
    }

    BITBAYES_INLINE void forward_rows(std::uint32_t r) {
        const Inputs now = input(r);
        each_by_group([&](std::uint32_t i, bool mine) {
            const NeuronMoments m = total(
                forward_input_row<Rule, kPlace>(lane(), row_of(w_, i), now, layer_.stride), now);
            if (mine && lane() == 0) set_moments(i, m);
        });
    }
    BITBAYES_INLINE void set_moments(std::uint32_t i, const NeuronMoments& m) {
        S_[i] = m.S;
        T_[i] = m.T;
    }

    template <bool kNext>
    BITBAYES_INLINE void learn_rows(std::uint32_t r, const TreeTarget& target) {
        const Inputs now = input(r), next = input(kNext ? r + 1 : r);
        each_by_group([&](std::uint32_t k, bool mine) {
            // What streams starts every other row from where the row before ended: that is still in the card's cache.
            const std::uint32_t i = kPlace == Place::kFar && r % 2 != 0 ? count_ - 1 - k : k;
            const PartSums<Rule> sums = learn_row<kNext>(i, mine, target, now, next);
            if constexpr (kNext) {
                const NeuronMoments m = total(sums, next);
                if (mine && lane() == 0) set_moments(i, m);
            }
        });
    }

    // Both groups of a warp call it together; what is not `mine` learns nothing.
    template <bool kNext>
    BITBAYES_INLINE PartSums<Rule> learn_row(std::uint32_t i, bool mine, const TreeTarget& target,
                                             const Inputs& now, const Inputs& next) {
        float* w = row_of(w_, i);
        if constexpr (!Rule::kHasH) {
            if (!mine) return {};
            if constexpr (kSparse) return backprop_sparse_row<kNext>(team_, w, now, next, step_[i]);
            return backprop_input_row<kNext>(lane(), w, now.x, next.x, layer_.stride, step_[i]);
        } else {
            InputWeights weights = weights_of(i);
            if (kPlace == Place::kSplit && near_h_.far_pieces > 0)
                weights.first_far = load_four(weights.far_h + lane() * 4);
            InputNeuron<kPlace, Team> neuron(team_, weights, layer_, smallest_h_[i]);
            PartSums<Rule> sums;
            // S and T are read where they are needed: registers are scarce.
            if constexpr (kHasForms) {
                const HiddenLoop loop = neuron.hidden_loop(mine, form_[i], step_[i]);
                if (loop != HiddenLoop::kNone) {
                    sums = neuron.template learn_hidden<kNext>(loop, now, {S_[i], T_[i]}, form_[i],
                                                               step_[i], next);
                } else if (kNext && mine) {
                    sums = forward_input_row<Rule, kPlace>(lane(), w, next, layer_.stride);
                }
            } else if (mine) {
                sums = neuron.template learn_output<kNext>(now, {S_[i], T_[i]}, target.y,
                                                           target.eps, step_[i], next);
            }
            return sums;
        }
    }

    // Sparse rows compute every w that they change from h: only forgetting changes more.
    BITBAYES_INLINE bool refreshes(std::uint64_t samples) const {
        return (!kSparse || prior_ != nullptr) && samples % kRefreshEvery == 0;
    }

    // After a barrier: a group may have other neurons than it has learned.
    BITBAYES_INLINE void refresh() {
        const std::uint32_t stride = layer_.stride, lane = team_.thread() % kGroup;
        const bool forgets = Rule::kHasH && prior_ != nullptr;
        bool finite = true;
        for (std::uint32_t i = group(); i < count_; i += groups()) {
            if (forgets && lane == 0) smallest_h_[i] |= kMovedSince;
            const InputWeights weights = weights_of(i);
            for (std::uint32_t j = lane; j < stride; j += kGroup) {
                const std::uint32_t at = placed(j, stride);
                float& w = weights.w[at];
                if constexpr (Rule::kHasH) {
                    float& h = weights.template h_at<kPlace>(at);
                    if (forgets) {
                        const float prior = prior_[static_cast<std::size_t>(i) * stride + at];
                        h -= lesson_.forgotten * (h - prior);
                    }
                    w = weight_mean(Lanes(h)).v;
                    finite = finite && is_finite(h);
                } else {
                    finite = finite && is_finite(w);
                }
            }
        }
        if constexpr (kDepth > 1) {
            each_own([&](std::uint32_t i) {
                if (forgets) {
                    const float prior = lesson_.trees.h0[1][upper_.link(first_ + i)];
                    link_h_[i] -= lesson_.forgotten * (link_h_[i] - prior);
                    link_w_[i] = weight_mean(Lanes(link_h_[i])).v;
                }
                finite = finite && is_finite((Rule::kHasH ? link_h_ : link_w_)[i]);
            });
        }
        if (forgets) upper_.forget(lesson_.forgotten);
        if (!finite || !upper_.finite()) *lesson_.broken = 1;
    }

    const Team& team_;
    const TreeLesson& lesson_;
    const TreeLayer layer_;  // the first
    std::uint32_t tree_, part_, first_, count_ = 0;
    const TreeRows rows_;
    const std::uint32_t turn_;
    std::uint64_t *const words_, *const other_words_;
    NearPart near_h_;  // kSplit: what h_ holds of each row
    Room room_;
    UpperLayers<Rule, kDepth, Team> upper_;
    float *way_ = nullptr, *x_, *S_, *T_, *step_, *far_h_, *far_w_, *h_, *w_;
    // Of the neurons' own weights above: h and w, and what they learn.
    float *link_h_ = nullptr, *link_w_ = nullptr, *R_ = nullptr, *nu_ = nullptr;
    HiddenForm* form_ = nullptr;
    std::uint32_t* smallest_h_;
    const float* prior_;
    RowFacts* facts_;
};
