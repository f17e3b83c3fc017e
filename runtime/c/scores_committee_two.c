/* Votes for the second class less votes for the first. */
void bbnet_scores(const bbnet_column x[BBNET_COLUMNS], int32_t scores[BBNET_OUTPUTS]) {
    bbnet_input input;
    bbnet_index member;
    bbnet_read(x, &input);
    scores[0] = -BBNET_MEMBERS;
    for (member = 0; member < BBNET_MEMBERS; member++) {
@hidden@        if (bbnet_layer_@last@(&input, member) >= 0) {
            scores[0] += 2;
        }
    }
}
