/* A neuron is +1 if its sum of weight * input, less its threshold, is 0 or more, else -1; the sums of the
 * last layer are the scores. @order@ In tables of weights a bit 1 is +1 and a bit 0 is -1. Tables stay in program
 * memory and are read through BBNET_READ_*. */
@include@
#if defined(__AVR__)
@avr@
#else
#define BBNET_FLASH
#define BBNET_READ_8(p) (*(p))
#define BBNET_READ_16(p) (*(p))
#define BBNET_READ_32(p) (*(p))
#endif

@sizes@
typedef @index_type@ bbnet_index; /* into every table */
typedef @sum_type@ bbnet_sum; /* holds every sum of every neuron: at most @largest_sum@ in size */

@tables@
