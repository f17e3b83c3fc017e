int bbnet_from_raw(const int32_t raw[BBNET_COLUMNS], bbnet_column x[BBNET_COLUMNS]) {
    int outside = 0;
    bbnet_index c;
    for (c = 0; c < BBNET_COLUMNS; c++) {
        if (raw[c] == BBNET_MISSING) {
            x[c] = @missing@;
            continue;
        }
@outside@@convert@    }
    return outside;
}

void bbnet_classify_raw(const int32_t raw[BBNET_COLUMNS], bbnet_answer *answer) {
    bbnet_column x[BBNET_COLUMNS];
    const int outside = bbnet_from_raw(raw, x);
    bbnet_classify(x, answer);
    if (outside != 0) {
        answer->predicted = BBNET_UNKNOWN;
    }
}

int bbnet_predict_raw(const int32_t raw[BBNET_COLUMNS]) {
    bbnet_answer answer;
    bbnet_classify_raw(raw, &answer);
    return answer.predicted;
}
