/* How many of `count` bits from `first` on are 1. */
static bbnet_index bbnet_count(const bbnet_word *bits, bbnet_index first, bbnet_index count) {
    bbnet_index ones = 0;
    while (count > 0U) {
        const bbnet_index skip = first % BBNET_BITS;
        const bbnet_index here = (count < BBNET_BITS - skip) ? count : BBNET_BITS - skip;
        const bbnet_word above = (bbnet_word)((bbnet_word)(bits[first / BBNET_BITS] >> skip) << (BBNET_BITS - here));
        ones += bbnet_ones(above);
        first += here;
        count -= here;
    }
    return ones;
}
