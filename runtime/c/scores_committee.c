/* Votes for a class less votes against it. */
void bbnet_scores(const bbnet_column x[BBNET_COLUMNS], int32_t scores[BBNET_OUTPUTS]) {
    bbnet_work work;
    bbnet_index k;
    bbnet_index member;
    for (k = 0; k < BBNET_OUTPUTS; k++) {
        scores[k] = -BBNET_MEMBERS;
    }
    for (member = 0; member < BBNET_MEMBERS; member++) {
        bbnet_index winner = 0;
        bbnet_sum best = 0;
@layers@        for (k = 0; k < BBNET_OUTPUTS; k++) {
            const bbnet_sum score = bbnet_score(&work, @output@);
            if (k == 0U || score > best) {
                best = score;
                winner = k;
            }
        }
        scores[winner] += 2;
    }
}
