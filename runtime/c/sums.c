/* Layer 1 of a member. */
static void bbnet_layer_1(const bbnet_column *x, bbnet_work *work, bbnet_index member) {
    const bbnet_index table = member * BBNET_TABLE_1 * BBNET_SPLIT; /* words of the members before */
    work->inputs = BBNET_FAN_IN_1;
    work->weights = &bbnet_weights_1[table * (BBNET_FAN_IN_1 + 1U)];
    bbnet_begin(work, &bbnet_start_1[table * BBNET_PLANES], 0, BBNET_WORDS(BBNET_NEURONS_1));
    bbnet_read(x, work);
}

/* The sum of neuron k, less the total, from its bits. */
static bbnet_sum bbnet_score(const bbnet_work *work, bbnet_index k) {
    const bbnet_word *sum = &work->sums[k / BBNET_BITS * BBNET_PLANES];
    const uint32_t sign = UINT32_C(1) << (BBNET_PLANES - 1U);
    uint32_t score = 0;
    bbnet_index p;
    for (p = 0; p < BBNET_PLANES; p++) {
        score |= (uint32_t)((sum[p] >> (k % BBNET_BITS)) & 1U) << p;
    }
    score = (score - work->total) & (sign | (sign - 1U));
    return (score < sign) ? (bbnet_sum)score : (bbnet_sum)(-1 - (int32_t)(sign - 1U - (score - sign)));
}
