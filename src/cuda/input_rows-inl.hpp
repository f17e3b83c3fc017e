// Inputs of layer 1 from cells of a table, one group of 16 threads per row; included inside a namespace after input_neuron-inl.hpp.
// Twins: data/preprocess.cpp, Dropout of learn/dense_batch.hpp, measure of kernels/tree_kernels-inl.hpp.

// 16 random bits of Philox 4x32-10 for place i of a row, as base/philox.cpp and Dropout have them.
BITBAYES_INLINE std::uint32_t dropout_bits(const CardDropout& dropout, std::uint32_t r,
                                           std::uint32_t i) {
    const std::uint64_t index =
        ((dropout.first_sample + r) * dropout.panels + i / kGroup) * 2 + i % kGroup / 8;
    constexpr auto kPurpose = static_cast<std::uint32_t>(Purpose::kDropout);
    std::uint32_t c[4] = {static_cast<std::uint32_t>(index),
                          static_cast<std::uint32_t>(index >> 32), kPurpose, dropout.layer};
    std::uint32_t key[2] = {static_cast<std::uint32_t>(dropout.seed),
                            static_cast<std::uint32_t>(dropout.seed >> 32)};
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t a = std::uint64_t{0xD2511F53u} * c[0],
                            b = std::uint64_t{0xCD9E8D57u} * c[2];
        c[0] = static_cast<std::uint32_t>(b >> 32) ^ c[1] ^ key[0];
        c[1] = static_cast<std::uint32_t>(b);
        c[2] = static_cast<std::uint32_t>(a >> 32) ^ c[3] ^ key[1];
        c[3] = static_cast<std::uint32_t>(a);
        key[0] += 0x9E3779B9u;
        key[1] += 0xBB67AE85u;
    }
    const std::uint32_t k = i % 8, pair = k / 2;
    const std::uint32_t word = pair == 0 ? c[0] : pair == 1 ? c[1] : pair == 2 ? c[2] : c[3];
    return word >> 16 * (k % 2) & 0xffffu;
}

// 1, or 0 for what row r leaves out.
BITBAYES_INLINE float kept(const CardDropout& dropout, std::uint32_t r, std::uint32_t i) {
    return dropout.limit > 0 && dropout_bits(dropout, r, i) < dropout.limit ? 0.0f : 1.0f;
}

BITBAYES_INLINE double cell(const InputWork& work, std::uint32_t r, std::uint32_t column) {
    const std::size_t at = static_cast<std::size_t>(r) * work.columns + column;
    switch (work.type) {
        case CellType::kU8:
            return static_cast<const std::uint8_t*>(work.cells)[at];
        case CellType::kFloat:
            return static_cast<const float*>(work.cells)[at];
        case CellType::kDouble:
            break;
    }
    return static_cast<const double*>(work.cells)[at];
}

BITBAYES_INLINE float input_from_cell(const InputWork& work, std::uint32_t r, std::uint32_t j) {
    const InputRecipe& recipe = work.recipe[j];
    if (recipe.kind == InputRecipe::Kind::kOne) return 1;
    const double x = cell(work, r, recipe.column);
    if (recipe.kind == InputRecipe::Kind::kScaled) {
        const double u = (x - recipe.a) / recipe.b;
        return u != u ? 0.0f : static_cast<float>(u);
    }
    if (x != x) return 0;
    if (recipe.kind == InputRecipe::Kind::kAbove) return x > recipe.a ? recipe.on : recipe.off;
    bool known = false;
    for (std::uint32_t k = recipe.first; k < recipe.end; ++k) known |= x == work.recipe[k].a;
    return !known ? 0.0f : x == recipe.a ? recipe.on : recipe.off;
}

template <class Team>
BITBAYES_INLINE void prepare_rows(const Team& team, const InputWork& work) {
    const std::uint32_t r = team.block() * (team.threads() / kGroup) + team.thread() / kGroup;
    const bool inside = r < work.rows, sparse = work.sparse.start != nullptr;
    const std::size_t first = !inside  ? 0
                              : sparse ? work.sparse.start[r]
                                       : static_cast<std::size_t>(r) * work.stride;
    const std::uint32_t count = !inside ? 0
                                : sparse
                                    ? static_cast<std::uint32_t>(work.sparse.start[r + 1] - first)
                                    : work.stride;
    Lanes sum(0.0f), largest(0.0f);
    const auto made = [&](std::uint32_t k) {
        const std::uint32_t j = sparse ? work.sparse.index[first + k] : k;
        float x = work.cells == nullptr ? work.x[first + k]
                  : j < work.inputs     ? input_from_cell(work, r, j)
                                        : 0.0f;
        const bool spared = work.dropout.spares_last && j + 1 == work.inputs;
        if (work.dropout.limit > 0 && j < work.inputs && !spared) x *= kept(work.dropout, r, j);
        sum = fma(Lanes(x), Lanes(x), sum);
        largest = max(largest, abs(Lanes(x)));
        return x;
    };
    const std::uint32_t lane = team.thread() % kGroup, fours = work.placed ? count / 64 * 64 : 0;
    for (std::uint32_t k = 0; k < fours; k += 64) {
        Four x;
        for (std::uint32_t a = 0; a < 4; ++a) x.v[a] = made(k + a * kGroup + lane);
        team.together();  // all have read what is overwritten
        store_four(work.x + first + k + lane * 4, x);
    }
    for (std::uint32_t k = fours + lane; k < count; k += kGroup) work.x[first + k] = made(k);
    const float square_sum = team.total(sum.v), most = -team.smallest(-largest.v);
    if (!inside || team.thread() % kGroup != 0) return;
    work.facts[r].square_sum = square_sum;
    work.facts[r].largest = most;
    if (work.base != nullptr) work.base[r] = kVarianceFloor * square_sum + kSmallest;
}
