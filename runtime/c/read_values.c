/* Adds the columns bit by bit@negative@. The last element of a list is the number of its inputs. */
static void bbnet_read(const bbnet_column *x, bbnet_work *work) {
    bbnet_word flip = 0;
    bbnet_index bit;
    for (bit = 0; bit < BBNET_LISTS; bit++) {
        work->list[bit][BBNET_LIST] = 0;
    }
    @do@{
        bbnet_index k = 0;
        bbnet_index c;
        for (c = 0; c < BBNET_COLUMNS; c++) {
            const int32_t value = @value@;
            uint_fast16_t rest = (uint_fast16_t)((value > 0) ? value : 0);
@skip_deeper@            for (bit = 0; rest != 0U; bit++) {
                bbnet_entry *list = work->list[bit];
                if ((rest & 1U) != 0U) {
                    list[BBNET_LIST] = (bbnet_entry)bbnet_put(work, list, list[BBNET_LIST], k, bit + 1U, flip);
                }
                rest >>= 1;
            }
            k++;
        }
        work->flip = flip;
        for (bit = 0; bit < BBNET_LISTS; bit++) {
            bbnet_add(work, work->list[bit], work->list[bit][BBNET_LIST], bit + 1U);
            work->list[bit][BBNET_LIST] = 0;
        }
@while@
}
