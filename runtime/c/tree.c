/* Layer @layer@ of a member: +1 where at most half of the BBNET_FAN_IN_@layer@ neurons that a neuron reads differ from
 * their weights. Neuron i takes the place of neuron i of layer @below@, which is not needed any more. */
static void bbnet_layer_@layer@(bbnet_work *work, bbnet_index member) {
    bbnet_word *signs = work->signs[@buffer@];
    bbnet_index i;
    bbnet_compare_@layer@(work, member);
    for (i = 0; i < BBNET_NEURONS_@layer@; i++) {
        const bbnet_index differ = bbnet_count(signs, i * BBNET_FAN_IN_@layer@, BBNET_FAN_IN_@layer@);
        const bbnet_word bit = (bbnet_word)((bbnet_word)1 << (i % BBNET_BITS));
        signs[i / BBNET_BITS] = (bbnet_word)((2U * differ <= BBNET_FAN_IN_@layer@) ? (signs[i / BBNET_BITS] | bit)
                                                                      : (signs[i / BBNET_BITS] & (bbnet_word)~bit));
    }
}
