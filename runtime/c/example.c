/* Classifies rows whose answers are known; the exit status is the number of wrong ones. Build it with
 *   @build@
 */
@include@
#include <stdio.h>

#define ROWS @rows@

static const bbnet_column rows[ROWS][BBNET_COLUMNS] = {
@row_values@
};
static const int expected[ROWS] = {@expected@};
static const char *const names[BBNET_CLASSES] = BBNET_CLASS_NAMES;

int main(void) {
    int wrong = 0;
    int r;
    for (r = 0; r < ROWS; r++) {
        bbnet_answer answer;
        bbnet_classify(rows[r], &answer);
        printf("row %d: %s, margin %ld\n", r,
               (answer.predicted == BBNET_UNKNOWN) ? "unknown" : names[answer.predicted],
               (long)answer.margin);
        wrong += answer.predicted != expected[r];
    }
    return wrong;
}
