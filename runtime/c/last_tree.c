/* Output k: of the BBNET_FAN_IN_@layer@ neurons that it reads, those like their weights less those that differ. */
static bbnet_sum bbnet_score(const bbnet_work *work, bbnet_index k) {
    const bbnet_index differ = bbnet_count(work->signs[@buffer@], k * BBNET_FAN_IN_@layer@, BBNET_FAN_IN_@layer@);
    return (bbnet_sum)BBNET_FAN_IN_@layer@ - 2 * (bbnet_sum)differ;
}
