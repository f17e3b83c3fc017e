/* Layer @layer@, neuron i: reads all neurons of layer @below@ and a constant 1. Where all agree with the weights
 * the sum is their number; each that does not takes 2 away. The constant's weight follows the
 * others in the row: a bit 1 if it is -1. */
static bbnet_sum bbnet_layer_@layer@(const bbnet_input *input, bbnet_index i) {
    const uint32_t *row = &bbnet_weights_@layer@[i * BBNET_ROW_@layer@];
    bbnet_sum sum = BBNET_FAN_IN_@layer@ + 1;
    bbnet_index w;
    for (w = 0; w < BBNET_ROW_@layer@; w++) {
        sum -= 2 * bbnet_ones(input->signs[@buffer@][w] ^ BBNET_READ_32(&row[w]));
    }
    return sum;
}
