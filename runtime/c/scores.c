void bbnet_scores(const bbnet_column x[BBNET_COLUMNS], int32_t scores[BBNET_OUTPUTS]) {
    bbnet_input input;
    bbnet_index k;
    bbnet_read(x, &input);
@hidden@    for (k = 0; k < BBNET_OUTPUTS; k++) {
        scores[k] = (int32_t)bbnet_layer_@last@(&input, k);
    }
}
