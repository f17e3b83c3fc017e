void bbnet_classify(const bbnet_column x[BBNET_COLUMNS], bbnet_answer *answer) {
    int32_t scores[BBNET_OUTPUTS];
    bbnet_scores(x, scores);
    bbnet_decide(scores, answer);
}

int bbnet_predict(const bbnet_column x[BBNET_COLUMNS]) {
    bbnet_answer answer;
    bbnet_classify(x, &answer);
    return answer.predicted;
}

int32_t bbnet_margin(const bbnet_column x[BBNET_COLUMNS]) {
    bbnet_answer answer;
    bbnet_classify(x, &answer);
    return answer.margin;
}

int bbnet_legal(const bbnet_column x[BBNET_COLUMNS]) {
    bbnet_answer answer;
    bbnet_classify(x, &answer);
    return answer.legal;
}
