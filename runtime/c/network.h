/* bbnet: a neural network with weights +1 and -1, on whole numbers. Written by bitbayes.
 *
 * A row holds all columns of the table that the network was trained on, in its order; README.md tells
 * what each of them must hold. Every function may be called from several threads at once. */
#ifndef BBNET_H
#define BBNET_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define BBNET_COLUMNS @columns@
#define BBNET_CLASSES @classes@
#define BBNET_OUTPUTS @outputs@ /* scores; of two classes there may be one: that of the second */
#define BBNET_ABSTAIN_BELOW @abstain_below@
#define BBNET_UNKNOWN (-1)

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

/* Everything about one row, in one pass. */
void bbnet_classify(const bbnet_column x[BBNET_COLUMNS], bbnet_answer *answer);

/* Single parts of the answer; each call computes the network anew. */
int bbnet_predict(const bbnet_column x[BBNET_COLUMNS]);
int32_t bbnet_margin(const bbnet_column x[BBNET_COLUMNS]);
int bbnet_legal(const bbnet_column x[BBNET_COLUMNS]);

/* The scores of a row, and what follows from them. */
void bbnet_scores(const bbnet_column x[BBNET_COLUMNS], int32_t scores[BBNET_OUTPUTS]);
void bbnet_decide(const int32_t scores[BBNET_OUTPUTS], bbnet_answer *answer);
@raw@
#ifdef __cplusplus
}
#endif

#endif
