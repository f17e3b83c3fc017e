void bbnet_scores(const bbnet_column x[BBNET_COLUMNS], int32_t scores[BBNET_OUTPUTS]) {
    bbnet_index k;
    bbnet_read(x);
    for (k = 0; k < BBNET_OUTPUTS; k++) {
        bbnet_inverse scale;
        scores[k] = bbnet_forward_@last@(k, &scale);
    }
}
