/* Mean Field Bayes Backpropagation in whole numbers. A weight has h in units of 1/64, one byte; w = tanh h is
 * its mean. z and quotients by standard deviations have units of 2^-11; w, nu and messages 2^-15.
 *   layer 1   S = sum w_j u_j     V = sum u_j^2 (1 - w_j^2)        z = S / sqrt V
 *   layer 2   S = sum w_j nu_j    V = sum (1 - (w_j nu_j)^2)       nu = 2 Phi(z) - 1
 * and z_j is z without weight j. Tables stay in program memory and are read through BBNET_READ_*. */
@include@
#if defined(__AVR__)
@avr@
#else
#define BBNET_FLASH
#define BBNET_READ_8(p) (*(p))
#define BBNET_READ_16(p) (*(p))
#define BBNET_READ_32(p) (*(p))
#endif

#define BBNET_INPUTS @inputs@ /* without the constant */
#define BBNET_FAN_IN @fan_in@ /* with it */
@hidden@#define BBNET_LIMIT @limit@ /* of an input */
#define BBNET_ONE 32767

typedef @index_type@ bbnet_index; /* into every table */

/* Shifts to the right must keep the sign, as they do on all common compilers. */
typedef char bbnet_shifts_keep_signs[((-1 >> 1) == -1) ? 1 : -1];
typedef char bbnet_state_fits[(sizeof(bbnet_state) <= BBNET_STATE_BYTES) ? 1 : -1];

@tables@

bbnet_state bbnet_learned;

/* 1 / sqrt(v) = root * 2^(exponent - 31) */
typedef struct {
    int32_t root;
    int exponent;
} bbnet_inverse;

static int32_t bbnet_saturated(int32_t value) {
    int32_t result = value;
    if (value > BBNET_ONE) {
        result = BBNET_ONE;
    } else if (value < -BBNET_ONE) {
        result = -BBNET_ONE;
    }
    return result;
}

/* value / 2^bits, rounded */
static int32_t bbnet_shifted(int32_t value, int bits) {
    return (value + ((int32_t)1 << (bits - 1))) >> bits;
}

static int32_t bbnet_size(int32_t value) {
    return (value < 0) ? -value : value;
}

static int32_t bbnet_mean(int8_t h) {
    return (int16_t)BBNET_READ_16(&bbnet_means[h + 128]);
}

/* sum * 2^power * root * 2^-15, saturated at every step */
static int32_t bbnet_scaled(int32_t sum, int power, int32_t root) {
    int32_t part;
    if (power <= 0) {
        part = bbnet_saturated(sum >> -power);
    } else {
        const int32_t most = BBNET_ONE >> power;
        part = (sum > most) ? most : sum;
        part = ((part < -most) ? -most : part) * ((int32_t)1 << power);
    }
    return bbnet_saturated((part * root) >> 15);
}

/* A table, then one step of Newton's. */
static bbnet_inverse bbnet_inverse_root(uint32_t v) {
    bbnet_inverse result;
    uint32_t m = (v == 0u) ? 1u : v;
    uint32_t y;
    uint32_t t;
    result.exponent = 0;
    while (m < 0x40000000u) {
        m <<= 2;
        result.exponent++;
    }
    m >>= 16;
    y = BBNET_READ_16(&bbnet_roots[(m >> 8) - 64u]);
    t = (((y * y) >> 16) * m) >> 16;
    y = (y * (49152u - t)) >> 15;
    result.root = (y > 65535u) ? 65535 : (int32_t)y;
    return result;
}

static int32_t bbnet_tanh(int32_t a) {
    const int32_t size = bbnet_size(a);
    const int32_t kept = (size > 16383) ? 16383 : size;
    const int32_t slope = (int32_t)BBNET_READ_16(&bbnet_slopes[kept >> 6]);
    return bbnet_saturated((((a < 0) ? -kept : kept) * slope) >> 11);
}

/* phi(z) / Phi(-z) in units of 2^-12 */
static int32_t bbnet_mills_ratio(int32_t z) {
    int32_t kept = (z > 16383) ? 16383 : z;
    kept = (kept < -16384) ? -16384 : kept;
    return (int32_t)BBNET_READ_16(&bbnet_mills[(kept + 16384) >> 6]);
}

/* xorshift32 */
static uint32_t bbnet_next(uint32_t random) {
    uint32_t r = random;
    r ^= r << 13;
    r ^= r >> 17;
    r ^= r << 5;
    return r;
}

/* h + change / 2^16, rounded up as often as the fraction says. */
static int8_t bbnet_moved(int8_t h, int32_t change, uint32_t random) {
    int32_t sum = h + ((change + (int32_t)(random >> 16)) >> 16);
    sum = (sum > 127) ? 127 : sum;
    return (int8_t)((sum < -127) ? -127 : sum);
}

void bbnet_seed(uint32_t seed) {
    bbnet_learned.random = (seed == 0x9E3779B9u) ? 0x9E3779B9u : (seed ^ 0x9E3779B9u);
}
