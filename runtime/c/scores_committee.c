/* The class that a member answers. */
static bbnet_index bbnet_vote(const bbnet_input *input, bbnet_index member) {
    const bbnet_index first = member * BBNET_OUTPUTS;
    bbnet_sum best = bbnet_layer_@last@(input, first);
    bbnet_index winner = 0;
    bbnet_index k;
    for (k = 1; k < BBNET_OUTPUTS; k++) {
        const bbnet_sum sum = bbnet_layer_@last@(input, first + k);
        if (sum > best) {
            best = sum;
            winner = k;
        }
    }
    return winner;
}

/* Votes for a class less votes against it. */
void bbnet_scores(const bbnet_column x[BBNET_COLUMNS], int32_t scores[BBNET_OUTPUTS]) {
    bbnet_input input;
    bbnet_index k;
    bbnet_index member;
    bbnet_read(x, &input);
    for (k = 0; k < BBNET_OUTPUTS; k++) {
        scores[k] = -BBNET_MEMBERS;
    }
    for (member = 0; member < BBNET_MEMBERS; member++) {
@hidden@        scores[bbnet_vote(&input, member)] += 2;
    }
}
