/* Which neurons of layer @below@ differ from the weights of layer @layer@, of which each has one. */
static void bbnet_compare_@layer@(bbnet_work *work, bbnet_index member) {
    const bbnet_word *weights = &bbnet_weights_@layer@[member * BBNET_TABLE_@layer@ * BBNET_SPLIT];
    bbnet_index w;
    for (w = 0; w < BBNET_WORDS(BBNET_NEURONS_@below@); w++) {
        work->signs[@buffer@][w] ^= BBNET_READ_WORD(&weights[w]);
    }
}
