/* Reads lines of whole numbers from the serial line, as a sensor would give them, and answers each with a state and its
 * margin, or with "?" where the network does not know. An empty line ends it. */
#include "board.h"
#include "motor.h"

static void print(const char *text) {
    while (*text != '\0') {
        board_put(*text++);
    }
}

static void print_number(int32_t number) {
    char digits[11];
    int n = 0;
    do {
        digits[n++] = (char)('0' + number % 10);
        number /= 10;
    } while (number != 0);
    while (n > 0) {
        board_put(digits[--n]);
    }
}

/* The values of one line; what stands after them is ignored. 0 for an empty line. */
static int read_line(int32_t raw[MOTOR_COLUMNS]) {
    int column = 0;
    int32_t number = 0;
    int read = 0;
    char c = board_get();
    while (c != '\n') {
        if (c >= '0' && c <= '9') {
            number = number * 10 + (c - '0');
        }
        read++;
        c = board_get();
        if ((c == ',' || c == '\n') && column < MOTOR_COLUMNS) {
            raw[column++] = number;
            number = 0;
        }
    }
    return read;
}

int main(void) {
    static const char *const states[] = MOTOR_CLASS_NAMES;
    static int32_t raw[MOTOR_COLUMNS];
    while (read_line(raw) > 0) {
        motor_answer answer;
        motor_classify_raw(raw, &answer);
        print((answer.predicted == MOTOR_UNKNOWN) ? "?" : states[answer.predicted]);
        board_put(' ');
        print_number(answer.margin);
        board_put('\n');
    }
    return 0;
}
