typedef struct {
    bbnet_word sums[BBNET_CHUNK * BBNET_PLANES]; /* of up to BBNET_CHUNK words of neurons, bit by bit */
@signs@    bbnet_entry list[BBNET_LISTS][BBNET_LIST + 1U]; /* inputs to be added, and a place for their number */
    bbnet_index inputs;                    /* of the layer under way */
    const bbnet_word *weights;             /* its words of weights, input by input */
    bbnet_index first;                     /* word of its neurons in sums */
    bbnet_index words;                     /* of its neurons in sums */
    uint32_t total;                        /* what to subtract from all sums */
    bbnet_word flip;                       /* all bits 1: weights of the list are read the other way round */
} bbnet_work;
