/* 2 Phi(z) - 1, by lines between the table's points */
static int32_t bbnet_sign_mean(int32_t z) {
    const int32_t size = (bbnet_size(z) > 8191) ? 8191 : bbnet_size(z);
    const int32_t low = (int32_t)BBNET_READ_16(&bbnet_signs[size >> 6]);
    const int32_t high = (int32_t)BBNET_READ_16(&bbnet_signs[(size >> 6) + 1]);
    const int32_t mean = low + (((high - low) * (size & 63)) >> 6);
    return (z < 0) ? -mean : mean;
}

/* Output k and the hidden neurons that it reads: z, and 1 / sqrt V. */
static int32_t bbnet_forward_2(bbnet_index k, bbnet_inverse *scale) {
    const int8_t *h = &bbnet_learned.h2[k * BBNET_HIDDEN];
    int32_t sum = 0;
    uint32_t v = 0;
    bbnet_index j;
    for (j = 0; j < BBNET_HIDDEN; j++) {
        const int32_t z = bbnet_forward_1(k * BBNET_HIDDEN + j, scale);
        const int32_t nu = bbnet_sign_mean(z);
        const int32_t p = (bbnet_mean(h[j]) * nu) >> 15;
        bbnet_learned.z[j] = (int16_t)z;
        bbnet_learned.nu[j] = (int16_t)nu;
        bbnet_learned.root[j] = (uint16_t)scale->root;
        bbnet_learned.exponent[j] = (uint8_t)scale->exponent;
        sum += p;
        v += (0x40000000u - (uint32_t)(p * p)) >> 10;
    }
    *scale = bbnet_inverse_root(v);
    return bbnet_scaled(sum, scale->exponent - 10, scale->root);
}

/* Output k: h_j += y/2 tanh(G) nu_j with G = 2 phi(z_j) / (Phi(y z_j) sqrt V); nu_j becomes the message
 * y tanh(G) w_j. */
static void bbnet_learn_2(bbnet_index k, int32_t z, const bbnet_inverse *scale, int positive) {
    int8_t *h = &bbnet_learned.h2[k * BBNET_HIDDEN];
    const int32_t one = bbnet_saturated(scale->root >> (10 - scale->exponent));
    bbnet_index j;
    for (j = 0; j < BBNET_HIDDEN; j++) {
        const int32_t nu = bbnet_learned.nu[j];
        const int32_t w = bbnet_mean(h[j]);
        const int32_t p = (w * nu) >> 15;
        const int32_t rest = z - bbnet_saturated((p * scale->root) >> (25 - scale->exponent));
        const int32_t ratio = bbnet_mills_ratio(positive ? -rest : rest);
        const int32_t t = bbnet_tanh(bbnet_shifted(ratio * one, 11));
        const int32_t r = positive ? t : -t;
        bbnet_learned.nu[j] = (int16_t)((r * w) >> 15);
        bbnet_learned.random = bbnet_next(bbnet_learned.random);
        h[j] = bbnet_moved(h[j], (((r * nu) >> 15) * @step@) >> @step_shift@, bbnet_learned.random);
    }
}

void bbnet_reset(void) {
    bbnet_index i;
    for (i = 0; i < @weights_1@; i++) {
        bbnet_learned.h1[i] = (int8_t)BBNET_READ_8(&bbnet_start_1[i]);
    }
    for (i = 0; i < @weights_2@; i++) {
        bbnet_learned.h2[i] = (int8_t)BBNET_READ_8(&bbnet_start_2[i]);
    }
    bbnet_seed(1u);
}

void bbnet_learn(const bbnet_column x[BBNET_COLUMNS], int label) {
    int k;
    if (label < 0 || label >= BBNET_CLASSES) {
        return;
    }
    bbnet_read(x);
    for (k = 0; k < BBNET_OUTPUTS; k++) {
        const bbnet_index first = (bbnet_index)k * BBNET_HIDDEN;
        bbnet_inverse scale;
        const int32_t z = bbnet_forward_2((bbnet_index)k, &scale);
        bbnet_index j;
        bbnet_learn_2((bbnet_index)k, z, &scale, label == @positive@);
        for (j = 0; j < BBNET_HIDDEN; j++) {
            scale.root = bbnet_learned.root[j];
            scale.exponent = bbnet_learned.exponent[j];
            bbnet_learn_1(first + j, bbnet_learned.z[j], &scale, bbnet_learned.nu[j]);
        }
    }
}
