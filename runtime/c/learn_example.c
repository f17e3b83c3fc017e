/* Answers a row, learns it as another class until the answer changes, then forgets. Build it with
 *   cc -std=c99 -O2 -I. example/main.c bbnet.c -o example/main
 */
#include "bbnet.h"
#include <stdio.h>

static const bbnet_column row[BBNET_COLUMNS] = {
@row_values@
};
static const char *const names[BBNET_CLASSES] = BBNET_CLASS_NAMES;

static void print_answer(const char *when) {
    bbnet_answer answer;
    bbnet_classify(row, &answer);
    printf("%s: %s, margin %ld\n", when, names[answer.winner], (long)answer.margin);
}

int main(void) {
    const int before = bbnet_predict(row);
    const int label = (before + 1) % BBNET_CLASSES;
    int n = 0;
    print_answer("before");
    while (bbnet_predict(row) != label && n < 1000) {
        bbnet_learn(row, label);
        n++;
    }
    printf("learned %d times as %s\n", n, names[label]);
    print_answer("after");
    bbnet_reset();
    print_answer("forgotten");
    return (n < 1000 && bbnet_predict(row) == before) ? 0 : 1;
}
