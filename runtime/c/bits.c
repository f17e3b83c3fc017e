/* What layer 1 reads: one bit for each input, lowest first. */
typedef @word_type@ bbnet_word;
typedef struct {
    bbnet_word words[BBNET_ROW];
@signs@} bbnet_input;
