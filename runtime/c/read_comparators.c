/* Column c is compared with bbnet_counts[c] numbers; each comparison is an input. */
static void bbnet_read(const bbnet_column *x, bbnet_input *input) {
    bbnet_index c;
    bbnet_index k = 0;
    bbnet_index w;
    bbnet_word bit = 1;
    for (w = 0; w < BBNET_ROW; w++) {
        input->words[w] = 0;
    }
    w = 0;
    for (c = 0; c < BBNET_COLUMNS; c++) {
        const bbnet_index end = k + BBNET_READ_@count_bits@(&bbnet_counts[c]);
        for (; k < end; k++) {
            if (x[c] > (@comparator_type@)BBNET_READ_@comparator_bits@(&bbnet_comparators[k])) {
                input->words[w] = (bbnet_word)(input->words[w] | bit);
            }
            bit = (bbnet_word)(bit << 1);
            if (bit == 0) {
                bit = 1;
                w++;
            }
        }
    }
}
