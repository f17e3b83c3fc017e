void bbnet_scores(const bbnet_column x[BBNET_COLUMNS], int32_t scores[BBNET_OUTPUTS]) {
    bbnet_work work;
    bbnet_index k;
@layers@    for (k = 0; k < BBNET_OUTPUTS; k++) {
        scores[k] = (int32_t)bbnet_score(&work, k);
    }
}
