/* Which sums, less the total, are 0 or more: the highest bit of the difference says it. */
static void bbnet_signs(const bbnet_work *work, bbnet_word *signs) {
    bbnet_index g;
    for (g = 0; g < work->words; g++) {
        const bbnet_word *sum = &work->sums[g * BBNET_PLANES];
        bbnet_word borrow = 0;
        uint32_t total = work->total;
        bbnet_index p;
        for (p = 0; p < BBNET_PLANES - 1U; p++) {
            const bbnet_word lacks = (bbnet_word)~sum[p];
            borrow = (bbnet_word)(((total & 1U) != 0U) ? (lacks | borrow) : (lacks & borrow));
            total >>= 1;
        }
        borrow ^= sum[p];
        signs[g] = (bbnet_word)(((total & 1U) != 0U) ? borrow : ~borrow);
    }
}
