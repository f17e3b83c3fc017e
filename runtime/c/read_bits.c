static void bbnet_read(const bbnet_column *x, bbnet_input *input) {
    bbnet_index c = 0;
    bbnet_index w;
    for (w = 0; w < BBNET_ROW; w++) {
        bbnet_word word = 0;
        bbnet_word bit = 1;
        for (; bit != 0 && c < BBNET_COLUMNS; c++) {
            if (x[c] > 0) {
                word = (bbnet_word)(word | bit);
            }
            bit = (bbnet_word)(bit << 1);
        }
        input->words[w] = @word@;
    }
}
