/* 2 phi(z) in units of 2^-16 */
static int32_t bbnet_density(int32_t z) {
    const int32_t place = bbnet_size(z) >> 5;
    return (place < 256) ? (int32_t)BBNET_READ_16(&bbnet_densities[place]) : 0;
}
