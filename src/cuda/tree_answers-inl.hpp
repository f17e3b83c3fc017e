// Rows that trees answer, and w from h for it; included inside a namespace after upper_layers-inl.hpp. Twin: learn/tree_part.hpp.
// tree_block-inl.hpp says what a Team is.

// z of some rows, from one tree, kAnswerRows at a time: each weight of layer 1 is read once for all of them.
template <class Rule, std::uint32_t kDepth, bool kWide, class Team>
BITBAYES_INLINE void answer_rows(const Team& team, const TreeQuestion& question, float* shared) {
    const Trees& trees = question.trees;
    const TreeLayer layer = trees.layer[0];
    const std::uint32_t tree = team.block() % trees.count;
    const std::uint32_t first = team.block() / trees.count * question.rows_per_block;
    const std::uint32_t last = first + question.rows_per_block,
                        end = last < question.rows.count ? last : question.rows.count;
    Room room{kWide ? question.room + team.block() * question.room_floats : shared};
    UpperLayers<Rule, kDepth, Team> upper(team, trees, tree, room);
    // Of each row: nu of all neurons of layer 1; z where that is the output.
    float* told = room.take(kAnswerRows * layer.neurons);
    const bool sparse = trees.sparse;
    float* x = sparse ? nullptr : room.take(kAnswerRows * layer.stride);
    upper.load(false);
    const float* w = trees.w[0] + static_cast<std::size_t>(tree) * layer.neurons * layer.stride;
    for (std::uint32_t r = first; r < end; r += kAnswerRows) {
        // The last row again where there are no more.
        const auto row_at = [&](std::uint32_t q) { return r + q < end ? r + q : end - 1; };
        Inputs input[kAnswerRows];
        BITBAYES_UNROLL
        for (std::uint32_t q = 0; q < kAnswerRows; ++q) {
            const RowFacts facts = question.rows.facts[row_at(q)];
            float* to = sparse ? nullptr : x + q * layer.stride;
            input[q] = sparse ? inputs_of(question.rows, row_at(q), facts)
                              : Inputs{to, facts.square_sum, facts.largest};
            const float* from =
                question.rows.x + static_cast<std::size_t>(row_at(q)) * layer.stride;
            for (std::uint32_t k = team.thread() * 4; !sparse && k < layer.stride;
                 k += team.threads() * 4)
                store_four(to + k, load_four(from + k));
        }
        team.sync();
        const std::uint32_t second = team.thread() / kGroup % 2, lane = team.thread() % kGroup;
        for (std::uint32_t k = team.thread() / kGroup - second; k < layer.neurons;
             k += team.threads() / kGroup) {
            const std::uint32_t i = k + second < layer.neurons ? k + second : k;  // both groups
            const float* row = w + static_cast<std::size_t>(i) * layer.stride;
            PartSums<Rule> sums[kAnswerRows];
            if (sparse) {
                for (std::uint32_t q = 0; q < kAnswerRows; ++q)
                    sums[q] = forward_sparse_row<Rule>(lane, row, input[q]);
            } else {
                add_input_rows(sums, lane, row, x, layer.stride);
            }
            BITBAYES_UNROLL
            for (std::uint32_t q = 0; q < kAnswerRows; ++q) {
                const NeuronMoments m = finish(team, sums[q], input[q]);
                if (lane == q)
                    told[q * layer.neurons + i] = kDepth > 1 ? Rule::nu(m) : m.S / std::sqrt(m.T);
            }
        }
        team.sync();
        for (std::uint32_t q = 0; q < kAnswerRows && r + q < end; ++q) {
            const float* own = told + q * layer.neurons;
            float z = own[0];
            if constexpr (kDepth > 1) {
                for (std::uint32_t i = team.thread(); i < layer.neurons; i += team.threads())
                    upper.tell(i, Rule::told(trees.w[1][upper.link(i)], own[i]));
                const NeuronMoments top = upper.forward([] {});
                z = top.S / std::sqrt(top.T);
            }
            if (team.thread() == 0)
                question.z[std::size_t{r + q} * question.outputs + question.first_tree + tree] = z;
        }
        team.sync();
    }
}

// w = tanh h of one element of layer 1, of all trees.
BITBAYES_INLINE void refresh_weight(const Trees& trees, std::size_t at) {
    trees.w[0][at] = weight_mean(Lanes(trees.h[0][at])).v;
}
