/* Learns the rows of rows.h in turn and compares scores and h with the library's after every update; prints "same N", or
 * "different N", and what an update and an answer cost in ticks of the board's timer. */
#include "board.h"
#include "net.h"

#if defined(__AVR__)
#include <avr/io.h>
#include <avr/pgmspace.h>
#define DEVICE_FLASH PROGMEM
#define READ_8(p) pgm_read_byte(p)
#define READ_16(p) ((int16_t)pgm_read_word(p))
#define READ_32(p) pgm_read_dword(p)
/* 1024 cycles a tick */
static void start_timer(void) {
    TCCR1B = (1 << CS12) | (1 << CS10);
}
static uint32_t ticks(void) {
    return TCNT1;
}
#define TICK_MASK 0xFFFFu
#else
#define DEVICE_FLASH
#define READ_8(p) (*(p))
#define READ_16(p) (*(p))
#define READ_32(p) (*(p))
/* SysTick counts down at 12.5 MHz: 80 instructions a tick under qemu -icount shift=0 */
#define SYSTICK ((volatile uint32_t *)0xE000E010)
static void start_timer(void) {
    SYSTICK[1] = 0xFFFFFFu;
    SYSTICK[2] = 0u;
    SYSTICK[0] = 5u;
}
static uint32_t ticks(void) {
    return 0xFFFFFFu - SYSTICK[2];
}
#define TICK_MASK 0xFFFFFFu
#endif

#include "rows.h"

static net_column x[NET_COLUMNS];
static int32_t scores[NET_OUTPUTS];

static void take_row(int r) {
    int c;
    for (c = 0; c < NET_COLUMNS; c++) {
        x[c] = (net_column)READ_16(&rows[r * NET_COLUMNS + c]);
    }
}

static uint32_t hashed(uint32_t hash, const int8_t *h, uint16_t count) {
    uint16_t i;
    for (i = 0; i < count; i++) {
        hash = (hash ^ (uint8_t)h[i]) * 16777619u;
    }
    return hash;
}

static uint32_t fingerprint(void) {
    uint32_t hash = hashed(2166136261u, net_learned.h1, sizeof net_learned.h1);
#if HAS_H2
    hash = hashed(hash, net_learned.h2, sizeof net_learned.h2);
#endif
    return hash;
}

static int same_scores(int r) {
    int k;
    for (k = 0; k < NET_OUTPUTS; k++) {
        if (scores[k] != READ_16(&scores_of_rows[r * NET_OUTPUTS + k])) {
            return 0;
        }
    }
    return 1;
}

static void print(const char *word, uint32_t number) {
    char digits[10];
    int n = 0;
    while (*word != '\0') {
        board_put(*word++);
    }
    do {
        digits[n++] = (char)('0' + number % 10u);
        number /= 10u;
    } while (number != 0u);
    while (n > 0) {
        board_put(digits[--n]);
    }
    board_put('\n');
}

int main(void) {
    uint32_t learning = 0;
    uint32_t answering = 0;
    int n;
    int same = 1;
    start_timer();
    for (n = 0; n < UPDATES && same; n++) {
        const int r = n % ROWS;
        uint32_t start;
        take_row(r);
        if (n < ROWS) {
            start = ticks();
            net_scores(x, scores);
            answering += (ticks() - start) & TICK_MASK;
            same = same_scores(r);
        }
        start = ticks();
        net_learn(x, READ_8(&labels[r]));
        learning += (ticks() - start) & TICK_MASK;
        same = same && fingerprint() == READ_32(&fingerprints[n]);
    }
    print(same ? "same " : "different ", (uint32_t)n);
    print("ticks of all updates ", learning);
    print("ticks of all answers ", answering);
    board_end();
    return 0;
}
