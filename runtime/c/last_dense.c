/* Output k of a member: of the neurons of layer @below@ and a constant 1, those like their weights less those that
 * differ. */
static bbnet_sum bbnet_score(const bbnet_work *work, bbnet_index k) {
    const bbnet_word *row = &bbnet_weights_@layer@[k * BBNET_TABLE_@layer@ * BBNET_SPLIT];
    const int constant = (BBNET_READ_8(&bbnet_constants_@layer@[k >> 3]) >> (k & 7U)) & 1;
    bbnet_index differ = 0;
    bbnet_index w;
    for (w = 0; w < BBNET_WORDS(BBNET_FAN_IN_@layer@); w++) {
        differ += bbnet_ones((bbnet_word)(work->signs[@buffer@][w] ^ BBNET_READ_WORD(&row[w])));
    }
    return (bbnet_sum)BBNET_FAN_IN_@layer@ - 1 + 2 * constant - 2 * (bbnet_sum)differ;
}
