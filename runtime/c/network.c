/* A neuron is +1 if its sum of weight * input, less its threshold, is 0 or more, else -1; the sums of the
 * last layer are the scores. Neurons are computed side by side, one bit of a word each: bit p of their sums
 * is word p of a column of words, and an input that is not at rest adds one word of weights. In tables of
 * weights a bit 1 is +1 and a bit 0 is -1. Tables stay in program memory and are read through BBNET_READ_*. */
@include@
#if defined(__AVR__)
@avr@
typedef uint@avr_bits@_t bbnet_word; /* one bit for each of BBNET_BITS neurons */
#define BBNET_BITS @avr_bits@
#define BBNET_SPLIT @split@ /* words where other processors have one */
#define BBNET_W(v) @split_word@
#define BBNET_READ_WORD(p) BBNET_READ_@avr_bits@(p)
#else
#define BBNET_FLASH
#define BBNET_READ_8(p) (*(p))
#define BBNET_READ_16(p) (*(p))
#define BBNET_READ_32(p) (*(p))
typedef uint@bits@_t bbnet_word; /* one bit for each of BBNET_BITS neurons */
#define BBNET_BITS @bits@
#define BBNET_SPLIT 1
#define BBNET_W(v) (v)
#define BBNET_READ_WORD(p) (*(p))
#endif

#define BBNET_WORDS(n) (((n) + BBNET_BITS - 1) / BBNET_BITS) /* that hold n bits */
@sizes@
typedef @index_type@ bbnet_index; /* into every table */
typedef @sum_type@ bbnet_sum; /* holds every score */
typedef @entry_type@ bbnet_entry; /* the number of an input */

@tables@