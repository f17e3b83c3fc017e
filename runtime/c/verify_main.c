/* Not part of an export. Reads rows (int16_t, all columns; then int32_t, all raw values, if the export takes them), writes for each
 * winner, predicted, margin, legal and the scores (int32_t), then what follows from the raw values: predicted, or
 * BBNET_CLASSES if something else differs. Usage: verify ROWS ANSWERS */
#include <stdio.h>

#include "@header@"

/* Functions that compute the network anew are compared on so many rows only: they cost as much again. */
#define COMPARED_ROWS 20

static int same_answer(const bbnet_column *x, const bbnet_answer *answer) {
    bbnet_answer again;
    bbnet_classify(x, &again);
    return again.winner == answer->winner && again.predicted == answer->predicted &&
           again.margin == answer->margin && again.legal == answer->legal &&
           bbnet_predict(x) == answer->predicted && bbnet_margin(x) == answer->margin &&
           bbnet_legal(x) == answer->legal;
}

static int write_answer(const bbnet_answer *answer, const int32_t *scores, FILE *file) {
    const int32_t head[4] = {answer->winner, answer->predicted, answer->margin, answer->legal};
    return fwrite(head, sizeof head, 1, file) == 1 &&
           fwrite(scores, sizeof scores[0], BBNET_OUTPUTS, file) == BBNET_OUTPUTS;
}

#ifdef BBNET_MISSING
static int write_raw_answer(FILE *in, long r, const bbnet_column *x, const bbnet_answer *answer, FILE *out) {
    static int32_t raw[BBNET_COLUMNS];
    static bbnet_column columns[BBNET_COLUMNS];
    bbnet_answer again;
    int32_t predicted;
    long c;
    if (fread(raw, sizeof raw, 1, in) != 1) {
        return 0;
    }
    (void)bbnet_from_raw(raw, columns);
    bbnet_classify_raw(raw, &again);
    predicted = (again.winner == answer->winner && again.margin == answer->margin && again.legal == answer->legal &&
                 (r >= COMPARED_ROWS || bbnet_predict_raw(raw) == again.predicted))
                    ? again.predicted
                    : BBNET_CLASSES;
    for (c = 0; c < BBNET_COLUMNS; c++) {
        if (columns[c] != x[c]) {
            predicted = BBNET_CLASSES;
        }
    }
    return fwrite(&predicted, sizeof predicted, 1, out) == 1;
}
#endif

int main(int argc, char **argv) {
    static int16_t row[BBNET_COLUMNS];
    static bbnet_column x[BBNET_COLUMNS];
    static int32_t scores[BBNET_OUTPUTS];
    FILE *in = (argc == 3) ? fopen(argv[1], "rb") : NULL;
    FILE *out = (argc == 3) ? fopen(argv[2], "wb") : NULL;
    long r;
    if (in == NULL || out == NULL) {
        return 2;
    }
    for (r = 0; fread(row, sizeof row, 1, in) == 1; r++) {
        bbnet_answer answer;
        long c;
        for (c = 0; c < BBNET_COLUMNS; c++) {
            x[c] = (bbnet_column)row[c];
        }
        bbnet_scores(x, scores);
        bbnet_decide(scores, &answer);
        if (r < COMPARED_ROWS && !same_answer(x, &answer)) {
            printf("row %ld: the functions of bbnet disagree\n", r);
            return 1;
        }
        if (!write_answer(&answer, scores, out)) {
            return 2;
        }
#ifdef BBNET_MISSING
        if (!write_raw_answer(in, r, x, &answer, out)) {
            return 2;
        }
#endif
    }
    return (fclose(out) == 0) ? 0 : 2;
}
