/* Compares the network with the answers of rows.h; prints "same N" or "different R", then ends. */
#include "board.h"
#include "net.h"

#if defined(__AVR__)
#include <avr/pgmspace.h>
#define DEVICE_FLASH PROGMEM
#define READ_16(p) ((int16_t)pgm_read_word(p))
#define READ_32(p) ((int32_t)pgm_read_dword(p))
#else
#define DEVICE_FLASH
#define READ_16(p) (*(p))
#define READ_32(p) (*(p))
#endif

#include "rows.h"

static net_column x[NET_COLUMNS];

static int same(int r) {
    int32_t scores[NET_OUTPUTS];
    net_answer answer;
    const int32_t *want = &answers[4 * r];
    int k;
    for (k = 0; k < NET_COLUMNS; k++) {
        x[k] = (net_column)READ_16(&rows[r * NET_COLUMNS + k]);
    }
    net_scores(x, scores);
    for (k = 0; k < NET_OUTPUTS; k++) {
        if (scores[k] != READ_32(&scores_of_rows[r * NET_OUTPUTS + k])) {
            return 0;
        }
    }
    net_classify(x, &answer);
    return answer.winner == READ_32(&want[0]) && answer.predicted == READ_32(&want[1]) &&
           answer.margin == READ_32(&want[2]) && answer.legal == READ_32(&want[3]) &&
           net_predict(x) == answer.predicted && net_margin(x) == answer.margin &&
           net_legal(x) == answer.legal;
}

static void print(const char *word, int number) {
    while (*word != '\0') {
        board_put(*word++);
    }
    board_put((char)('0' + number / 10));
    board_put((char)('0' + number % 10));
    board_put('\n');
}

int main(void) {
    int r = 0;
    while (r < ROWS && same(r)) {
        r++;
    }
    print((r == ROWS) ? "same " : "different ", r);
    board_end();
    return 0;
}
