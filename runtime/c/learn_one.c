void bbnet_reset(void) {
    bbnet_index i;
    for (i = 0; i < @weights_1@; i++) {
        bbnet_learned.h1[i] = (int8_t)BBNET_READ_8(&bbnet_start_1[i]);
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
        bbnet_inverse scale;
        const int32_t z = bbnet_forward_1((bbnet_index)k, &scale);
        bbnet_learn_1((bbnet_index)k, z, &scale, (label == @positive@) ? BBNET_ONE : -BBNET_ONE);
    }
}
