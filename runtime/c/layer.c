/* Layer @layer@, neuron i: reads BBNET_FAN_IN_@layer@ neurons of layer @below@, +1 where their sum is 0 or more. */
static bbnet_sum bbnet_layer_@layer@(const bbnet_input *input, bbnet_index i) {
    const bbnet_index first = i * BBNET_FAN_IN_@layer@;
    bbnet_index j;
    bbnet_sum sum = 0;
    for (j = first; j < first + BBNET_FAN_IN_@layer@; j++) {
        const int weight = (BBNET_READ_8(&bbnet_weights_@layer@[j >> 3]) >> (j & 7)) & 1;
        const int neuron = bbnet_layer_@below@(input, j) >= 0;
        sum += (neuron == weight) ? 1 : -1;
    }
    return sum;
}
