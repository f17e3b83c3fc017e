/* Layer @below@, all neurons of a member, for layer @layer@. */
static void bbnet_signs_@below@(bbnet_input *input, bbnet_index member) {
    bbnet_index i = member * BBNET_FAN_IN_@layer@;
    const bbnet_index end = i + BBNET_FAN_IN_@layer@;
    bbnet_index w;
    for (w = 0; w < BBNET_ROW_@layer@; w++) {
        uint32_t word = 0;
        uint32_t bit = 1;
        for (; bit != 0 && i < end; i++) {
            if (bbnet_layer_@below@(input, i) >= 0) {
                word |= bit;
            }
            bit <<= 1;
        }
        input->signs[@buffer@][w] = word;
    }
}
