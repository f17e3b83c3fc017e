#if BBNET_NEURONS_@layer@ % BBNET_BITS != 0
    work->signs[@buffer@][words - 1U] &= (bbnet_word)(((bbnet_word)1 << (BBNET_NEURONS_@layer@ % BBNET_BITS)) - 1U);
#endif
