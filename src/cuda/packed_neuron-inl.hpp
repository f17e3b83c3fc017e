// A neuron of a packed network in a few rows; included inside a namespace. Twin: packed/network.cpp.
//   u_i = sum_j W_ij v_j - t_i,   the neuron's sign is +1 if u_i >= 0, else -1,   its score u_i

// Neuron i of a group of rows: at = group x neurons + i.
BITBAYES_INLINE void packed_neuron(const PackedWork& work, std::size_t at) {
    const PackedLayer& layer = work.layer;
    const std::size_t group = at / layer.neurons, i = at % layer.neurons;
    const std::uint32_t words = (layer.fan_in + 63) / 64;
    const PackedRows* v =
        work.inputs + group * layer.inputs + (layer.reads_all ? 0 : i * layer.fan_in);
    std::int64_t u[kPackedRows] = {};
    for (std::uint32_t w = 0; w < words; ++w) {
        std::uint64_t bits = layer.bits[i * words + w];
        const std::uint32_t rest = layer.fan_in - 64 * w, count = rest < 64 ? rest : 64;
        std::int32_t sum[kPackedRows] = {};  // of 64 numbers of 16 bits
        for (std::uint32_t k = 0; k < count; ++k, bits >>= 1) {
            const PackedRows x = v[64 * w + k];
            const std::int32_t flip = (bits & 1) != 0 ? 0 : -1;  // W x = (x ^ flip) - flip
            BITBAYES_UNROLL
            for (std::uint32_t r = 0; r < kPackedRows; ++r) sum[r] += (x.row[r] ^ flip) - flip;
        }
        BITBAYES_UNROLL
        for (std::uint32_t r = 0; r < kPackedRows; ++r) u[r] += sum[r];
    }
    const std::int64_t t = layer.threshold == nullptr ? 0 : layer.threshold[i];
    if (work.signs != nullptr) {
        PackedRows signs;
        BITBAYES_UNROLL
        for (std::uint32_t r = 0; r < kPackedRows; ++r)
            signs.row[r] = static_cast<std::int16_t>(u[r] - t >= 0 ? 1 : -1);
        work.signs[at] = signs;
        return;
    }
    BITBAYES_UNROLL
    for (std::uint32_t r = 0; r < kPackedRows; ++r) {
        std::int64_t& score = work.scores[(group * kPackedRows + r) * layer.neurons + i];
        score = (work.adds ? score : 0) + u[r] - t;
    }
}
