/* Layer @layer@, neuron i: reads all neurons of layer @below@ and a constant 1. Where all agree with the weights
 * the sum is their number; each that does not takes 2 away. The constants' weights have a
 * table of their own. */
static bbnet_sum bbnet_layer_@layer@(const bbnet_input *input, bbnet_index i) {
    const uint32_t *row = &bbnet_weights_@layer@[i * BBNET_ROW_@layer@];
    const int constant = (BBNET_READ_8(&bbnet_constants_@layer@[i >> 3]) >> (i & 7)) & 1;
    bbnet_sum sum = BBNET_FAN_IN_@layer@ - 1 + 2 * constant;
    bbnet_index w;
    for (w = 0; w < BBNET_ROW_@layer@; w++) {
        sum -= 2 * bbnet_ones(input->signs[@buffer@][w] ^ BBNET_READ_32(&row[w]));
    }
    return sum;
}
