/* Starts the sums of the words `first` and following of a layer. Highest bits come first in the table, or compilers would
 * make this a call of a library. */
static void bbnet_begin(bbnet_work *work, const bbnet_word *start, bbnet_index first, bbnet_index end) {
    bbnet_index g;
    bbnet_index p;
    work->total = 0;
    work->first = first;
    work->words = (end - first < BBNET_CHUNK) ? end - first : BBNET_CHUNK;
    for (g = 0; g < work->words; g++) {
        const bbnet_index word = first + g;
        const bbnet_word *planes = &start[word / BBNET_SPLIT * BBNET_PLANES * BBNET_SPLIT + word % BBNET_SPLIT];
        for (p = 0; p < BBNET_PLANES; p++) {
            work->sums[g * BBNET_PLANES + p] = BBNET_READ_WORD(&planes[(BBNET_PLANES - 1U - p) * BBNET_SPLIT]);
        }
    }
}
