/* Adds the neurons of the layer below that are +1; what the others add is part of the start of the sums. */
static void bbnet_read_signs(const bbnet_word *signs, bbnet_work *work) {
    bbnet_index count = 0;
    bbnet_index k = 0;
    bbnet_index w;
    for (w = 0; k < work->inputs; w++) {
        bbnet_word rest = signs[w];
        bbnet_index input = k;
        for (; rest != 0U; rest = (bbnet_word)(rest >> 1)) {
            if ((rest & 1U) != 0U) {
                count = bbnet_put(work, work->list[0], count, input, 1U, 0);
            }
            input++;
        }
        k += BBNET_BITS;
    }
    work->flip = 0;
    bbnet_add(work, work->list[0], count, 1U);
}
