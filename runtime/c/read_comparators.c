/* Column c is compared with bbnet_counts[c] numbers in ascending order; each comparison is an input. At rest
 * the first bbnet_rests[c] of them are on, which is part of the start of the sums: the others are added while the
 * column is above their numbers, and those, flipped, while it is not. */
static void bbnet_read(const bbnet_column *x, bbnet_work *work) {
    const bbnet_word flip = (bbnet_word)~(bbnet_word)0;
    const @comparator_type@ *first = bbnet_comparators;
    bbnet_index on = 0;
    bbnet_index off = 0;
    bbnet_index c;
    for (c = 0; c < BBNET_COLUMNS; c++) {
        const bbnet_column value = x[c];
        const @comparator_type@ *end = first + BBNET_READ_@count_bits@(&bbnet_counts[c]);
        const @comparator_type@ *k = first + BBNET_READ_@rest_bits@(&bbnet_rests[c]);
@words@        if (k != end && value > @comparator@) {
            do {
                on = bbnet_put(work, work->list[0], on, (bbnet_index)(k - bbnet_comparators), @plane@, 0);
                k++;
            } while (k != end && value > @comparator@);
        } else {
            while (k != first && value <= @comparator_below@) {
                k--;
                off = bbnet_put(work, work->list[1], off, (bbnet_index)(k - bbnet_comparators), @plane@, flip);
            }
        }
        first = end;
    }
    work->flip = 0;
    bbnet_add(work, work->list[0], on, @plane@);
    work->flip = flip;
    bbnet_add(work, work->list[1], off, @plane@);
}
