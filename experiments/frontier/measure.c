/* Lets a classifier answer the rows of rows.bin; prints the bytes of stack that it used, then for each row
 * the class and its cost in the device's unit. The compiler's command line defines ROWS, COLUMNS, the type
 * COLUMN and the function PREDICT, and includes the classifier's header. */
#include "device.h"

#define STACK_ROWS 50
#define PAINT 0xA5u

extern const uint8_t rows[];
__asm__(".pushsection " ROW_SECTION
        ",\"a\"\n.balign 4\n.global rows\nrows:\n.incbin \"rows.bin\"\n.popsection");

static COLUMN x[COLUMNS];
static int16_t answers[ROWS];
static uint32_t costs[ROWS];

static void take_row(uint16_t r) {
    const uint8_t *from = &rows[(uint32_t)r * sizeof x];
    uint8_t *to = (uint8_t *)x;
    uint16_t k;
    for (k = 0; k < sizeof x; k++) {
        to[k] = READ_ROW_BYTE(&from[k]);
    }
}

static __attribute__((noinline)) uint32_t cost_of_two_readings(void) {
    const device_time start = device_clock();
    const device_time end = device_clock();
    return device_between(start, end);
}

static __attribute__((noinline)) void answer_row(uint16_t r, uint32_t readings) {
    const device_time start = device_clock();
    const int answer = PREDICT(x);
    const device_time end = device_clock();
    answers[r] = (int16_t)answer;
    costs[r] = device_between(start, end) - readings;
}

/* Nothing but PREDICT is called between painting and looking. */
static __attribute__((noinline)) uint16_t stack_of_row(void) {
    volatile uint8_t *stack = stack_pointer();
    uint16_t k;
    for (k = 1; k <= STACK_PAINTED; k++) {
        stack[-(int)k] = PAINT;
    }
    (void)PREDICT(x);
    for (k = STACK_PAINTED; k > 0 && stack[-(int)k] == PAINT; k--) {
    }
    return k;
}

static void print(int32_t number, char after) {
    char digits[10];
    int n = 0;
    if (number < 0) {
        device_put('-');
        number = -number;
    }
    do {
        digits[n++] = (char)('0' + number % 10);
        number /= 10;
    } while (number != 0);
    while (n > 0) {
        device_put(digits[--n]);
    }
    device_put(after);
}

int main(void) {
    uint32_t readings;
    uint16_t stack = 0;
    uint16_t r;
    device_start();
    readings = cost_of_two_readings();
    for (r = 0; r < ROWS; r++) {
        take_row(r);
        answer_row(r, readings);
        if (r < STACK_ROWS) {
            const uint16_t used = stack_of_row();
            stack = (used > stack) ? used : stack;
        }
    }
    print(stack, '\n');
    for (r = 0; r < ROWS; r++) {
        print(answers[r], ' ');
        print((int32_t)costs[r], '\n');
    }
    device_end();
    return 0;
}
