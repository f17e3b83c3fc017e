/* Columns that are above 0 are added; what the others add is part of the start of the sums. */
static void bbnet_read(const bbnet_column *x, bbnet_work *work) {
    bbnet_index count = 0;
    bbnet_index k = 0;
    bbnet_index c;
    for (c = 0; c < BBNET_COLUMNS; c++) {
@skip@        if (x[c] > 0) {
            count = bbnet_put(work, work->list[0], count, k, @plane@, 0);
        }
        k++;
    }
    work->flip = 0;
    bbnet_add(work, work->list[0], count, @plane@);
}
