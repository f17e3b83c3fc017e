
/* The same from values as the table has them, as whole numbers: README.md tells their scale. A value far beyond those
 * of the training makes the answer BBNET_UNKNOWN. */
#define BBNET_MISSING INT32_MIN /* stands for a value that is missing */
void bbnet_classify_raw(const int32_t raw[BBNET_COLUMNS], bbnet_answer *answer);
int bbnet_predict_raw(const int32_t raw[BBNET_COLUMNS]);

/* The columns of such a row; the result is the number of values far beyond those of the training. */
int bbnet_from_raw(const int32_t raw[BBNET_COLUMNS], bbnet_column x[BBNET_COLUMNS]);
