#define BBNET_WEIGHTS(row, input, flip) \
    ((bbnet_word)(BBNET_READ_WORD(&(row)[(bbnet_index)(input) * BBNET_SPLIT]) ^ (flip)))

/* a + b + c, bit by bit: a becomes the sum, carry what goes to the next bit; carry may be c. */
#define BBNET_ADD(a, b, c, carry)                          \
    do {                                                   \
        const bbnet_word differ = (bbnet_word)((a) ^ (b)); \
        const bbnet_word both = (bbnet_word)((a) & (b));   \
        (a) = (bbnet_word)(differ ^ (c));                  \
        (carry) = (bbnet_word)(both | (differ & (c)));     \
    } while (0)

static void bbnet_carry(bbnet_word *above, const bbnet_word *end, bbnet_word c) {
    for (; c != 0U && above != end; above++) {
        const bbnet_word carry = (bbnet_word)(*above & c);
        *above ^= c;
        c = carry;
    }
}

/* Adds the weights of the inputs of a list at bit `plane` of all sums: 2^plane where a weight is +1, 0 where it is -1.
 * So half of what an input adds goes into the total. Sixteen words make one carry
 * to the bits above; carries of fewer are held until the end. */
static void bbnet_add(bbnet_work *work, bbnet_entry *list, bbnet_index count, bbnet_index plane) {
    const bbnet_word flip = work->flip;
    bbnet_index g;
    work->total += (uint32_t)count << (plane - 1U);
    for (; (count & 3U) != 0U; count++) { /* the row behind the last input holds zeros */
        list[count] = (bbnet_entry)work->inputs;
        work->total += (uint32_t)(flip & 1U) << plane;
    }
    for (g = 0; g < work->words && count != 0U; g++) {
        const bbnet_index word = work->first + g;
        const bbnet_word *row =
            &work->weights[word / BBNET_SPLIT * (work->inputs + 1U) * BBNET_SPLIT + word % BBNET_SPLIT];
        bbnet_word *sum = &work->sums[g * BBNET_PLANES + plane];
        const bbnet_word *end = &work->sums[(g + 1U) * BBNET_PLANES];
        bbnet_word ones = sum[0];
        bbnet_word twos = sum[1];
        bbnet_word held_4 = 0;
        bbnet_word held_8 = 0;
        bbnet_index e;
        for (e = 0; e < count; e += 4U) {
            bbnet_word a = BBNET_WEIGHTS(row, list[e], flip);
            bbnet_word b = BBNET_WEIGHTS(row, list[e + 1U], flip);
            bbnet_word c;
            BBNET_ADD(ones, a, b, c);
            a = BBNET_WEIGHTS(row, list[e + 2U], flip);
            b = BBNET_WEIGHTS(row, list[e + 3U], flip);
            BBNET_ADD(ones, a, b, a);
            BBNET_ADD(twos, a, c, c);
            if ((e & 4U) == 0U) {
                held_4 = c;
                continue;
            }
            BBNET_ADD(sum[2], held_4, c, c);
            held_4 = 0;
            if ((e & 8U) == 0U) {
                held_8 = c;
                continue;
            }
            BBNET_ADD(sum[3], held_8, c, c);
            held_8 = 0;
            bbnet_carry(&sum[4], end, c);
        }
        sum[0] = ones;
        sum[1] = twos;
        if ((count & 15U) != 0U) {
            bbnet_word c = (bbnet_word)(sum[2] & held_4);
            sum[2] ^= held_4;
            BBNET_ADD(sum[3], held_8, c, c);
            bbnet_carry(&sum[4], end, c);
        }
    }
}

/* Appends an input to a list and returns how many it holds now; a full list is added. */
static bbnet_index bbnet_put(bbnet_work *work, bbnet_entry *list, bbnet_index count, bbnet_index input, bbnet_index plane,
                             bbnet_word flip) {
    list[count] = (bbnet_entry)input;
    count++;
    if (count == BBNET_LIST) {
        work->flip = flip;
        bbnet_add(work, list, count, plane);
        count = 0;
    }
    return count;
}
