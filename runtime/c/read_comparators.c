/* Column c is compared with bbnet_counts[c] numbers in ascending order; each comparison is an input. At rest
 * the first bbnet_rests[c] of them are on, which is part of the start of the sums: the others are added while the
 * column is above their numbers, and those, flipped, while it is not. */
static void bbnet_read(const bbnet_column *x, bbnet_work *work) {
    const bbnet_word flip = (bbnet_word)~(bbnet_word)0;
    bbnet_index first = 0;
    bbnet_index on = 0;
    bbnet_index off = 0;
    bbnet_index c;
    for (c = 0; c < BBNET_COLUMNS; c++) {
        const bbnet_index end = first + BBNET_READ_@count_bits@(&bbnet_counts[c]);
        const bbnet_index rest = first + BBNET_READ_@rest_bits@(&bbnet_rests[c]);
        bbnet_index k = rest;
@words@        for (; k < end && x[c] > @comparator@; k++) {
            on = bbnet_put(work, work->list[0], on, k, @plane@, 0);
        }
        if (k == rest) {
            for (; k > first && x[c] <= @comparator_below@; k--) {
                off = bbnet_put(work, work->list[1], off, k - 1U, @plane@, flip);
            }
        }
        first = end;
    }
    work->flip = 0;
    bbnet_add(work, work->list[0], on, @plane@);
    work->flip = flip;
    bbnet_add(work, work->list[1], off, @plane@);
}
