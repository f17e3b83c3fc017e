static bbnet_sum bbnet_ones(uint32_t v) {
    v -= (v >> 1) & UINT32_C(0x55555555);
    v = (v & UINT32_C(0x33333333)) + ((v >> 2) & UINT32_C(0x33333333));
    v = (v + (v >> 4)) & UINT32_C(0x0F0F0F0F);
    v += v >> 8;
    v += v >> 16;
    return (bbnet_sum)(v & 63);
}
