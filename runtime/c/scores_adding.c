/* The sums of the members' scores. */
void bbnet_scores(const bbnet_column x[BBNET_COLUMNS], int32_t scores[BBNET_OUTPUTS]) {
    bbnet_work work;
    bbnet_index k;
    bbnet_index member;
    for (k = 0; k < BBNET_OUTPUTS; k++) {
        scores[k] = 0;
    }
    for (member = 0; member < BBNET_MEMBERS; member++) {
@layers@        for (k = 0; k < BBNET_OUTPUTS; k++) {
            scores[k] += (int32_t)bbnet_score(&work, @output_k@);
        }
    }
}
