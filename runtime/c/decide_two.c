void bbnet_decide(const int32_t scores[BBNET_OUTPUTS], bbnet_answer *answer) {
    answer->winner = scores[0] >= 0;
    answer->margin = (scores[0] >= 0) ? scores[0] : -scores[0];
    answer->legal = 1;
    answer->predicted = (answer->margin < BBNET_ABSTAIN_BELOW) ? BBNET_UNKNOWN : answer->winner;
}
