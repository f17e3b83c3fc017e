/* Column c is compared with bbnet_counts[c] numbers; each comparison is an input. */
static void bbnet_read(const bbnet_column *x, bbnet_input *input) {
    bbnet_index c = 0;
    bbnet_index end = BBNET_READ_@count_bits@(&bbnet_counts[0]); /* of the inputs from column c */
    bbnet_index k = 0;
    bbnet_index w;
    for (w = 0; w < BBNET_ROW; w++) {
        bbnet_word word = 0;
        bbnet_word bit = 1;
        for (; bit != 0 && k < BBNET_INPUTS; k++) {
            while (k == end) {
                c++;
                end += BBNET_READ_@count_bits@(&bbnet_counts[c]);
            }
            if (@condition@) {
                word = (bbnet_word)(word | bit);
            }
            bit = (bbnet_word)(bit << 1);
        }
        input->words[w] = word;
    }
}
