static bbnet_index bbnet_ones(bbnet_word v) {
    const bbnet_word ones = (bbnet_word)~(bbnet_word)0;
    v = (bbnet_word)(v - ((v >> 1) & (ones / 3U)));
    v = (bbnet_word)((v & (ones / 5U)) + ((v >> 2) & (ones / 5U)));
    v = (bbnet_word)((v + (v >> 4)) & (ones / 17U));
    return (bbnet_word)(v * (ones / 255U)) >> (BBNET_BITS - 8);
}
