/* bbnet: a neural network with weights +1 and -1 that goes on learning, in whole numbers. Written by bitbayes.
 *
 * A row holds all columns of the table that the network was trained on, in its order; README.md tells
 * what each of them must hold. What is learned lies in bbnet_learned: calls must not overlap. */
#ifndef BBNET_H
#define BBNET_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define BBNET_COLUMNS @columns@
#define BBNET_CLASSES @classes@
#define BBNET_OUTPUTS @outputs@ /* scores; of two classes there may be one: that of the second */
#define BBNET_ABSTAIN_BELOW 0
#define BBNET_UNKNOWN (-1)
#define BBNET_SCORE_UNIT 2048 /* a score of so many is one standard deviation */
#define BBNET_STATE_BYTES @state_bytes@ /* of RAM: sizeof(bbnet_state), at most */

/* Initialises an array of strings, in whatever memory the caller wants. */
#define BBNET_CLASS_NAMES @class_names@
@column_names@
typedef @column_type@ bbnet_column; /* @column_values@ */

typedef struct {
    int winner;     /* the class with the highest score, the first of equals */
    int predicted;  /* the same, or BBNET_UNKNOWN if the margin is below BBNET_ABSTAIN_BELOW */
    int32_t margin; /* from the highest score to the next; of one output: from 0 */
    int legal;      /* 1 if exactly one score is 0 or more; of one output always */
} bbnet_answer;

/* All RAM that the network needs besides the stack. A weight is +1 with probability
 * 1 / (1 + exp(-h / 32)). To keep what was learned without power, store random, h1@and_h2@. */
typedef struct {
    uint32_t random; /* the state of the generator; 0 until the first call */
    int16_t u[@fan_in@]; /* the inputs of the current row */
@work@    int8_t h1[@weights_1@];
@h2@} bbnet_state;

extern bbnet_state bbnet_learned;

/* One Bayes update. A label outside of 0 .. BBNET_CLASSES - 1 is ignored. */
void bbnet_learn(const bbnet_column x[BBNET_COLUMNS], int label);
/* Back to what the network knew when it was exported. */
void bbnet_reset(void);
/* Restarts the generator that rounds; bbnet_reset() does it with 1. */
void bbnet_seed(uint32_t seed);

/* The answer to a row, by all that was learned. */
void bbnet_classify(const bbnet_column x[BBNET_COLUMNS], bbnet_answer *answer);

/* Single parts of the answer; each call computes the network anew. */
int bbnet_predict(const bbnet_column x[BBNET_COLUMNS]);
int32_t bbnet_margin(const bbnet_column x[BBNET_COLUMNS]);
int bbnet_legal(const bbnet_column x[BBNET_COLUMNS]);

/* The scores of a row: mean over standard deviation of each output; and what follows from them. */
void bbnet_scores(const bbnet_column x[BBNET_COLUMNS], int32_t scores[BBNET_OUTPUTS]);
void bbnet_decide(const int32_t scores[BBNET_OUTPUTS], bbnet_answer *answer);

#ifdef __cplusplus
}
#endif

#endif
