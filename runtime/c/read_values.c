static void bbnet_read(const bbnet_column *x, bbnet_input *input) {
    bbnet_index c;
    input->x = x;
    input->total = 0;
    for (c = 0; c < BBNET_COLUMNS; c++) {
        input->total += x[c];
    }
}
