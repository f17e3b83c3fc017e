/* Layer @layer@ of a member: BBNET_NEURONS_@layer@ neurons. */
static void bbnet_layer_@layer@(@x@bbnet_work *work, bbnet_index member) {
    const bbnet_index words = BBNET_WORDS(BBNET_NEURONS_@layer@);
    const bbnet_index table = member * BBNET_TABLE_@layer@ * BBNET_SPLIT; /* words of the members before */
    bbnet_index first;
    work->inputs = BBNET_FAN_IN_@layer@;
    work->weights = &bbnet_weights_@layer@[table * (BBNET_FAN_IN_@layer@ + 1U)];
    for (first = 0; first < words; first += BBNET_CHUNK) {
        bbnet_begin(work, &bbnet_start_@layer@[table * BBNET_PLANES], first, words);
        @read@;
        bbnet_signs(work, &work->signs[@buffer@][first]);
    }
@mask@}
