/* What layer 1 reads: the columns, and the sum of those that are inputs. */
typedef struct {
    const bbnet_column *x;
    bbnet_sum total;
@signs@} bbnet_input;

/* The sum of the columns whose bit is set; bits lie lowest first, in program memory. */
static bbnet_sum bbnet_add(const bbnet_column *x, const uint8_t *bits) {
    bbnet_sum sum = 0;
    bbnet_index b;
    for (b = 0; b < BBNET_ROW; b++) {
        const bbnet_column *column = &x[8 * b];
        uint8_t rest = BBNET_READ_8(&bits[b]);
        while (rest != 0) {
            sum += *column & -(rest & 1); /* all bits of the column or none; no branch to guess */
            column++;
            rest = (uint8_t)(rest >> 1);
        }
    }
    return sum;
}
