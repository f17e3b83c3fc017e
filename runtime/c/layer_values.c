/* Layer 1, neuron i: sum of weight * column - threshold = 2 P - total + offset, with P the sum of the
 * columns whose weight is +1. In this order no step leaves the range of bbnet_sum. */
static bbnet_sum bbnet_layer_1(const bbnet_input *input, bbnet_index i) {
    const bbnet_sum positive = bbnet_add(input->x, &bbnet_weights_1[i * BBNET_ROW]);
    const bbnet_sum offset = (@offset_type@)BBNET_READ_@offset_bits@(&bbnet_offsets[i]);
    return positive - input->total + positive + offset;
}
