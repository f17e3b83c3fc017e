/* Layer 1, neuron i: z and 1 / sqrt V. */
static int32_t bbnet_forward_1(bbnet_index i, bbnet_inverse *scale) {
    const int8_t *h = &bbnet_learned.h1[i * BBNET_FAN_IN];
    int32_t sum = 0;
    uint32_t v = 0;
    bbnet_index j;
    for (j = 0; j < BBNET_FAN_IN; j++) {
        const int32_t u = bbnet_learned.u[j];
        const uint32_t square = (uint32_t)(u * u) >> @square_bits@;
        sum += (bbnet_mean(h[j]) * u) >> 8;
        v += (square * BBNET_READ_16(&bbnet_variances[h[j] + 128])) >> @variance_bits@;
    }
    *scale = bbnet_inverse_root(v);
    return bbnet_scaled(sum, scale->exponent - @sum_power@, scale->root);
}

/* Layer 1, neuron i: h_j += D/2 tanh(@gain@ u_j / sqrt V), D the message to the neuron. */
static void bbnet_learn_1(bbnet_index i, int32_t z, const bbnet_inverse *scale, int32_t message) {
    const int32_t d = bbnet_shifted(message * @step@, 15);
    const int bits = @ratio_bits@ - scale->exponent;
    const int32_t root = scale->root;
    int8_t *h = &bbnet_learned.h1[i * BBNET_FAN_IN];
    uint32_t random = bbnet_learned.random;
    bbnet_index j;
    if (d == 0) {
        return;
    }
    for (j = 0; j < BBNET_FAN_IN; j++) {
        const int32_t ratio = bbnet_saturated(bbnet_shifted(bbnet_learned.u[j] * root, bits));
        const int32_t rest = z - ((bbnet_mean(h[j]) * ratio) >> 15);
        const int32_t a = bbnet_shifted(@gain_ratio@ * ratio, @gain_bits@);
        random = bbnet_next(random);
        h[j] = bbnet_moved(h[j], (bbnet_tanh(a) * d) >> @step_shift@, random);
    }
    bbnet_learned.random = random;
}
