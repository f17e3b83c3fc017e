/* Reads lines of whole numbers and the true state, as a user would give it; answers each with the state that it takes it for,
 * then learns it. An empty line ends it. */
#include "board.h"
#include "motor.h"

static const char *const states[] = MOTOR_CLASS_NAMES;
static motor_column x[MOTOR_COLUMNS];
static char word[16];

/* Reads up to a comma or the end of the line, which it returns. */
static char read_word(void) {
    unsigned n = 0;
    char c = board_get();
    while (c != ',' && c != '\n') {
        if (n < sizeof word - 1u) {
            word[n++] = c;
        }
        c = board_get();
    }
    word[n] = '\0';
    return c;
}

static motor_column number(void) {
    int32_t value = 0;
    const char *at;
    for (at = word; *at >= '0' && *at <= '9'; at++) {
        value = value * 10 + (*at - '0');
    }
    return (motor_column)value;
}

static int same(const char *a, const char *b) {
    while (*a != '\0' && *a == *b) {
        a++;
        b++;
    }
    return *a == *b;
}

/* The number of the true state, or -1 at an empty line. */
static int read_row(void) {
    int column = 0;
    int label = MOTOR_CLASSES - 1;
    while (read_word() == ',') {
        if (column < MOTOR_COLUMNS) {
            x[column++] = number();
        }
    }
    while (label >= 0 && !same(word, states[label])) {
        label--;
    }
    return label;
}

int main(void) {
    int label = read_row();
    while (label >= 0) {
        const char *text = states[motor_predict(x)];
        while (*text != '\0') {
            board_put(*text++);
        }
        board_put('\n');
        motor_learn(x, label);
        label = read_row();
    }
    return 0;
}
