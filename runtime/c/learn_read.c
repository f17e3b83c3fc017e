/* The inputs of a row: distances from the means of the training. */
static void bbnet_read(const bbnet_column *x) {
    bbnet_index k;
    if (bbnet_learned.random == 0u) {
        bbnet_reset();
    }
    for (k = 0; k < BBNET_INPUTS; k++) {
        int32_t u;
@column@        u = @value@;
        u = (u@mean@) >> @right@;
        u = (u > BBNET_LIMIT) ? BBNET_LIMIT : u;
        bbnet_learned.u[k] = (int16_t)((u < -BBNET_LIMIT) ? -BBNET_LIMIT : u);
    }
@constant@}
