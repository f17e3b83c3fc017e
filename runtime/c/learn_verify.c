/* Not part of an export. Reads rows (int16_t: the label, all columns); answers each, then learns it. Writes for
 * each the scores and a fingerprint of what is known after it (int32_t), at the end all h.
 * Usage: verify ROWS ANSWERS SEED */
#include <stdio.h>
#include <stdlib.h>

#include "bbnet.h"

static uint32_t hashed(uint32_t hash, const int8_t *h, size_t count) {
    size_t i;
    for (i = 0; i < count; i++) {
        hash = (hash ^ (uint8_t)h[i]) * 16777619u;
    }
    return hash;
}

static uint32_t fingerprint(void) {
    uint32_t hash = hashed(2166136261u, bbnet_learned.h1, sizeof bbnet_learned.h1);
@hash_2@    return hash;
}

static int write_all(const void *what, size_t bytes, FILE *file) {
    return fwrite(what, 1, bytes, file) == bytes;
}

int main(int argc, char **argv) {
    static int16_t row[1 + BBNET_COLUMNS];
    static bbnet_column x[BBNET_COLUMNS];
    static int32_t scores[BBNET_OUTPUTS];
    FILE *in = (argc == 4) ? fopen(argv[1], "rb") : NULL;
    FILE *out = (argc == 4) ? fopen(argv[2], "wb") : NULL;
    uint32_t start;
    if (in == NULL || out == NULL) {
        return 2;
    }
    bbnet_reset();
    start = fingerprint();
    bbnet_seed((uint32_t)strtoul(argv[3], NULL, 10));
    while (fread(row, sizeof row, 1, in) == 1) {
        uint32_t hash;
        long c;
        for (c = 0; c < BBNET_COLUMNS; c++) {
            x[c] = (bbnet_column)row[1 + c];
        }
        bbnet_scores(x, scores);
        bbnet_learn(x, row[0]);
        hash = fingerprint();
        if (!write_all(scores, sizeof scores, out) || !write_all(&hash, sizeof hash, out)) {
            return 2;
        }
    }
    if (!write_all(bbnet_learned.h1, sizeof bbnet_learned.h1, out)) {
        return 2;
    }
@write_2@    bbnet_reset();
    if (fingerprint() != start) {
        printf("bbnet_reset does not restore what was exported\n");
        return 1;
    }
    return (fclose(out) == 0) ? 0 : 2;
}
