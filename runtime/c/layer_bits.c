/* Layer 1, neuron i: sum of weight * input - threshold. Where all inputs agree with the weights it is
 * the offset; each that does not takes @step@ away. */
static bbnet_sum bbnet_layer_1(const bbnet_input *input, bbnet_index i) {
    const bbnet_word *row = &bbnet_weights_1[i * BBNET_ROW];
    bbnet_sum sum = (@offset_type@)BBNET_READ_@offset_bits@(&bbnet_offsets[i]);
    bbnet_index w;
    for (w = 0; w < BBNET_ROW; w++) {
        sum -= @step_times@bbnet_ones((uint32_t)(input->words[w] ^ BBNET_READ_@word_bits@(&row[w])));
    }
    return sum;
}
