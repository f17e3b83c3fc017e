void bbnet_decide(const int32_t scores[BBNET_OUTPUTS], bbnet_answer *answer) {
    int winner = 0;
    int positive = scores[0] >= 0;
    int32_t runner_up = INT32_MIN;
    int k;
    for (k = 1; k < BBNET_OUTPUTS; k++) {
        positive += scores[k] >= 0;
        if (scores[k] > scores[winner]) {
            runner_up = scores[winner];
            winner = k;
        } else if (scores[k] > runner_up) {
            runner_up = scores[k];
        }
    }
    answer->winner = winner;
    answer->margin = scores[winner] - runner_up;
    answer->legal = positive == 1;
    answer->predicted = (answer->margin < BBNET_ABSTAIN_BELOW) ? BBNET_UNKNOWN : answer->winner;
}
