/* Votes for the second class less votes for the first. */
void bbnet_scores(const bbnet_column x[BBNET_COLUMNS], int32_t scores[BBNET_OUTPUTS]) {
    bbnet_work work;
    bbnet_index member;
    scores[0] = -BBNET_MEMBERS;
    for (member = 0; member < BBNET_MEMBERS; member++) {
@layers@        if (bbnet_score(&work, @output@) >= 0) {
            scores[0] += 2;
        }
    }
}
